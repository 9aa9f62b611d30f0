import { endpoint } from "@/lib/api/endpoint";
import type { MetricSeries } from "@/lib/api/schemas";
import { getMetrics } from "@/lib/game-services/metrics";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = endpoint<MetricSeries, { id: string }>(
  ({ account, params, query }) => getMetrics(account, params.id, query),
);
