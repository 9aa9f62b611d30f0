import { endpoint } from "@/lib/api/endpoint";
import { getServer } from "@/lib/servers/servers";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = endpoint("/api/v1/servers/:id", ({ account, params }) =>
  getServer(account.id, params.id),
);
