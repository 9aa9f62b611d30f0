import { endpoint } from "@/lib/api/endpoint";
import type { ServerDetail } from "@/lib/api/schemas";
import { getServer } from "@/lib/servers/servers";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = endpoint<ServerDetail, { id: string }>(
  ({ account, params }) => getServer(account.id, params.id),
);
