import { endpoint } from "@/lib/api/endpoint";
import { checkMetrics, getMetrics } from "@/lib/game-services/metrics";
import { estimateMetrics } from "@/lib/game-services/metrics-query";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = endpoint(
  "/api/v1/game-services/:id/metrics",
  ({ account, params, query }) => getMetrics(account, params.id, query),
  { bytes: estimateMetrics, check: ({ account, params, query }) => checkMetrics(account, params.id, query) },
);
