import type { SilenceEvent } from "@/lib/servers/events/silence";
import { DAY } from "@/lib/time";
import { instantOf, wallClock } from "@/lib/time-zone";

/** The times that uptime is told of, by name, in milliseconds. */
export const UPTIME_RANGES = {
  "24 hours": DAY,
  "7 days": 7 * DAY,
  "30 days": 30 * DAY,
  "90 days": 90 * DAY,
  "365 days": 365 * DAY,
} as const;
export type UptimeRange = keyof typeof UPTIME_RANGES;

/** How much of a time a server was what. All in milliseconds. */
export type Uptime = {
  /** All of the time that is recorded. */
  recorded: number;
  offline: number;
  /** Silences of which a part was offline. */
  outages: number;
  unreachable: number;
  unknown: number;
  /**
   * Percent of the known time in which it was not offline, cut after two decimals, so that 100 means always. Null: nothing
   * is known. A server that was unreachable was running.
   */
  percent: number | null;
};

/** The uptime in `[from, to)` (epoch ms). The events overlap it and are in order, and of the time before nothing is recorded. */
export function uptimeOf(events: readonly SilenceEvent[], from: number, to: number): Uptime {
  const sums = { offline: 0, unreachable: 0, unknown: 0 };
  let outages = 0;
  let end = Number.NEGATIVE_INFINITY;
  let isOutage = false;
  for (const event of events) {
    const length = Math.min(event.to ?? to, to) - Math.max(event.from, from);
    if (length <= 0) continue;
    sums[event.kind] += length;
    // Events that follow each other are one silence.
    if (event.from !== end) isOutage = false;
    if (event.kind === "offline" && !isOutage) {
      outages++;
      isOutage = true;
    }
    end = event.to ?? to;
  }
  const recorded = Math.max(0, to - from);
  const known = recorded - sums.unknown;
  const percent = known > 0 ? Math.floor(((known - sums.offline) * 10_000) / known) / 100 : null;
  return { recorded, ...sums, outages, percent };
}

/** A day of a zone, from its midnight to the next (epoch ms). Null: nothing of it is recorded. */
export type UptimeDay = { from: number; to: number; uptime: Uptime | null };

/** The last days of a zone up to that of `now`, in order. `recordedSince`: null where nothing is recorded yet (epoch ms). */
export function uptimeDays(
  events: readonly SilenceEvent[],
  { recordedSince, now, zone, days }: { recordedSince: number | null; now: number; zone: string; days: number },
): UptimeDay[] {
  const { year, month, day } = wallClock(now, zone);
  const midnight = (back: number) => instantOf({ year, month, day: day - back, hour: 0, minute: 0, second: 0 }, zone);
  const midnights = Array.from({ length: days + 1 }, (_, index) => midnight(days - 1 - index));
  return midnights.slice(0, -1).map((from, index) => {
    const to = midnights[index + 1] ?? now;
    const since = Math.max(from, recordedSince ?? now);
    const until = Math.min(to, now);
    return { from, to, uptime: since < until ? uptimeOf(events, since, until) : null };
  });
}
