import { DAY } from "@/lib/format/time";
import { instantOf, wallClock } from "@/lib/format/time-zone";
import type { SilenceEvent, SilenceKind } from "@/lib/servers/events/silence";

/** The spans that pages and the API give the uptime of, in milliseconds. */
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
  /** Left out of all the others. */
  maintenance: number;
  /**
   * Percent of the known time in which it was not offline, cut after two decimals, so that 100 means always. Null: nothing
   * is known. A server that was unreachable was running.
   */
  percent: number | null;
};

/** A time in epoch milliseconds. */
type Time = { from: number; to: number };
/** What is left of the silences of a server outside of its maintenance, in order. `run`: those of one silence have the same. */
type Piece = Time & { kind: SilenceKind; run: number };
export type KnownTimes = { pieces: readonly Piece[]; maintenance: readonly Time[] };

/** Leaves maintenance (in order, without overlaps) out of silences, which are in order and do not overlap either. */
export function withoutMaintenance(silences: readonly SilenceEvent[], maintenance: readonly Time[]): KnownTimes {
  const pieces: Piece[] = [];
  let [run, end, next] = [0, Number.NEGATIVE_INFINITY, 0];
  for (const { kind, from, to } of silences) {
    const until = to ?? Number.POSITIVE_INFINITY;
    // Events that follow each other are one silence.
    if (from !== end) run++;
    end = until;
    while ((maintenance[next]?.to ?? Number.POSITIVE_INFINITY) <= from) next++;
    let since = from;
    for (let index = next; since < until; index++) {
      const left = maintenance[index];
      const begin = Math.min(until, left?.from ?? until);
      if (begin > since) pieces.push({ kind, run, from: since, to: begin });
      since = Math.max(since, left?.to ?? until);
    }
  }
  return { pieces, maintenance };
}

/** The uptime in `[from, to)` (epoch ms); of the time before nothing is recorded. */
export function uptimeOf({ pieces, maintenance }: KnownTimes, from: number, to: number): Uptime {
  const sums = { offline: 0, unreachable: 0, unknown: 0 };
  let [outages, counted] = [0, 0];
  for (let index = firstEndingAfter(pieces, from); index < pieces.length; index++) {
    const piece = pieces[index] as Piece;
    if (piece.from >= to) break;
    sums[piece.kind] += Math.min(piece.to, to) - Math.max(piece.from, from);
    if (piece.kind === "offline" && piece.run !== counted) {
      outages++;
      counted = piece.run;
    }
  }
  const recorded = Math.max(0, to - from);
  const left = maintenance.reduce(
    (sum, time) => sum + Math.max(0, Math.min(time.to, to) - Math.max(time.from, from)),
    0,
  );
  return {
    recorded,
    ...sums,
    outages,
    maintenance: left,
    percent: percentOf({ recorded, maintenance: left, ...sums }),
  };
}

/**
 * The outages of the last 24 hours: of the head of a server, the fleet, `/metrics` and the uptime. One that began before counts,
 * and one of which no part was offline outside of maintenance does not.
 */
export function outagesOfDay(known: KnownTimes, now: number): number {
  return uptimeOf(known, now - UPTIME_RANGES["24 hours"], now).outages;
}

/** Whether an outage of the time from `at` on (epoch ms) is one of the time before as well. */
export function isCarried({ pieces }: KnownTimes, at: number, to: number): boolean {
  const outages = pieces.filter(({ kind }) => kind === "offline");
  const first = outages.find((piece) => piece.to > at && piece.from < to);
  return first !== undefined && outages.some(({ run, from }) => run === first.run && from < at);
}

/** See `Uptime.percent`. */
export function percentOf({
  recorded,
  maintenance,
  unknown,
  offline,
}: Omit<Uptime, "percent" | "outages" | "unreachable">) {
  const known = recorded - maintenance - unknown;
  return known > 0 ? Math.floor(((known - offline) * 10_000) / known) / 100 : null;
}

/** The index of the first piece that ends after a time: a server may have ten thousand of them. */
function firstEndingAfter(pieces: readonly Piece[], at: number): number {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle] as Piece).to <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A day of a zone, from its midnight to the next (epoch ms). Null: nothing of it is recorded. */
type UptimeDay = Time & { uptime: Uptime | null };

/** The last days of a zone up to that of `now`, in order. `recordedSince`: null where nothing is recorded yet (epoch ms). */
export function uptimeDays(
  known: KnownTimes,
  { recordedSince, now, zone, days }: { recordedSince: number | null; now: number; zone: string; days: number },
): UptimeDay[] {
  const midnights = Array.from({ length: days + 1 }, (_, index) => midnightOf(now, zone, index - days + 1));
  return midnights.slice(0, -1).map((from, index) => {
    const to = midnights[index + 1] ?? now;
    const since = Math.max(from, recordedSince ?? now);
    const until = Math.min(to, now);
    return { from, to, uptime: since < until ? uptimeOf(known, since, until) : null };
  });
}

/** The midnight (epoch ms) of a zone with which the day of a time begins, or one so many days later. */
export function midnightOf(at: number, zone: string, later = 0): number {
  const { year, month, day } = wallClock(at, zone);
  return instantOf({ year, month, day: day + later, hour: 0, minute: 0, second: 0 }, zone);
}
