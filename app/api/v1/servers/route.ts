import { endpoint } from "@/lib/api/endpoint";
import { listServers } from "@/lib/servers/servers";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = endpoint(
  "/api/v1/servers",
  ({ account }) => listServers(account.id),
  // HEAD needs no query: authentication decides.
  { check: () => undefined },
);
