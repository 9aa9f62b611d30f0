import { endpoint } from "@/lib/api/endpoint";
import type { GameService } from "@/lib/api/schemas";
import { getGameService } from "@/lib/game-services/game-services";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = endpoint<GameService, { id: string }>(
  ({ account, params }) => getGameService(account, params.id),
);
