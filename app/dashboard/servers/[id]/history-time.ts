import { type AskedTime, askedTime, type Query } from "@/app/ui/chart/asked-time";
import { KEPT } from "@/lib/process/kept";
import { type HistoryRange, parseHistoryRange } from "@/lib/servers/telemetry/history";

export type HistoryTime = AskedTime<HistoryRange>;

/** The time that a query asks for of the history of a server; `zone` is that of the account. */
export function historyTime(query: Query, zone: string): HistoryTime {
  const rules = { zone, now: Date.now(), keptDays: KEPT.hoursDays, what: "The history is" };
  return askedTime(query, parseHistoryRange(query.range), rules);
}
