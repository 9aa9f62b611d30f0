import { endpoint } from "@/lib/api/endpoint";
import { listGameServices } from "@/lib/game-services/game-services";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = endpoint(
  "/api/v1/game-services",
  ({ account }) => listGameServices(account.id),
  // HEAD needs no query: authentication decides.
  { check: () => undefined },
);
