import { endpoint } from "@/lib/api/endpoint";
import { getGameService } from "@/lib/game-services/game-services";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = endpoint(
  "/api/v1/game-services/:id",
  ({ account, params }) => getGameService(account, params.id),
);
