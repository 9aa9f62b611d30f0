import { type AskedTime, askedTime, type Query } from "@/app/ui/chart/asked-time";
import type { MetricRange } from "@/lib/api/schemas";
import { parseTrafficRange } from "@/lib/game-services/traffic";
import { KEPT } from "@/lib/process/kept";

export type TrafficTime = AskedTime<MetricRange>;

/** The time that a query asks for of the traffic of a service; `zone` is that of the account. */
export function trafficTime(query: Query, zone: string): TrafficTime {
  const rules = { zone, now: Date.now(), keptDays: KEPT.metricsDays, what: "Traffic is" };
  return askedTime(query, parseTrafficRange(query.range), rules);
}
