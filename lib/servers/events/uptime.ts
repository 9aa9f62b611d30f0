import { query } from "@/lib/database/run-statement";
import { select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";
import type { TimeRange } from "@/lib/format/time-range";
import { instantOf, wallClock } from "@/lib/format/time-zone";
import { KEPT } from "@/lib/process/kept";
import { listOutages, MOST_EVENTS } from "@/lib/servers/events/events";

/** The spans that pages and the API give the uptime of, in milliseconds. */
export const UPTIME_RANGES = {
  "24 hours": DAY,
  "7 days": 7 * DAY,
  "30 days": 30 * DAY,
  "90 days": 90 * DAY,
  "365 days": 365 * DAY,
} as const;

/** A part of an outage outside of maintenance; those of one outage have the same number. */
type Piece = TimeRange & { outage: number };

/** What tells the uptime of a server in `[since, now)`. Times in epoch milliseconds. */
export type Availability = {
  /** In order. */
  pieces: readonly Piece[];
  /** In order, without overlaps; times to come included. */
  maintenance: readonly TimeRange[];
  since: number;
  now: number;
};

/** How much of a time a server was what, in milliseconds. */
export type Uptime = {
  /** Recorded, and outside of maintenance. */
  known: number;
  offline: number;
  outages: number;
  maintenance: number;
  /** Percent of the known time in which it was not offline, cut after two decimals, so that 100 means always. Null: none is known. */
  percent: number | null;
};

const s = table("Server", "s");
const m = table("MaintenanceTime", "m");
const HEARD = statement({ id: s.id }, ({ id }) => select({ since: s.firstSeenAt }, `from ${s} where ${s.id} = ${id}`));
const MAINTENANCE = statement({ serverId: m.serverId }, ({ serverId }) =>
  select({ from: m.startedAt, to: m.endedAt }, `from ${m} where ${m.serverId} = ${serverId} order by ${m.startedAt}`),
);

/** What is kept of the availability of a server up to `now` (epoch ms). `since` is `now` for one that was never heard. */
export async function getAvailability(serverId: number, now: number): Promise<Availability> {
  const keptSince = now - KEPT.hoursDays * DAY;
  const [[heard], maintenance, events] = await Promise.all([
    query(HEARD, { id: serverId }),
    query(MAINTENANCE, { serverId }),
    listOutages(serverId, { from: keptSince, to: now }),
  ]);
  const outages = events.map(({ from, to }) => ({ from, to: to ?? now }));
  // Of what is older nothing is kept, which does not mean that there was nothing.
  const oldest = events.length < MOST_EVENTS ? 0 : (events[0]?.from ?? 0);
  const since = Math.max(heard?.since ?? now, keptSince, oldest);
  return { pieces: withoutMaintenance(outages, maintenance), maintenance, since, now };
}

/** Leaves maintenance out of outages. Both are in order and do not overlap among themselves. */
export function withoutMaintenance(outages: readonly TimeRange[], maintenance: readonly TimeRange[]): Piece[] {
  let next = 0;
  return outages.flatMap(({ from, to }, outage) => {
    const pieces: Piece[] = [];
    let since = from;
    while ((maintenance[next]?.to ?? Number.POSITIVE_INFINITY) <= from) next++;
    for (let index = next; since < to; index++) {
      const left = maintenance[index];
      const begin = Math.min(to, left?.from ?? to);
      if (begin > since) pieces.push({ outage, from: since, to: begin });
      since = Math.max(since, left?.to ?? to);
    }
    return pieces;
  });
}

/** The uptime in a time (epoch ms), as far as it is recorded. Pure. */
export function uptimeOf({ pieces, maintenance, since, now }: Availability, time: TimeRange): Uptime {
  const [from, to] = [Math.max(time.from, since), Math.min(time.to, now)];
  const within = (one: TimeRange) => Math.max(0, Math.min(one.to, to) - Math.max(one.from, from));
  let [offline, outages, counted] = [0, 0, -1];
  for (const piece of pieces) {
    if (piece.to <= from) continue;
    if (piece.from >= to) break;
    offline += within(piece);
    if (piece.outage !== counted) outages++;
    counted = piece.outage;
  }
  const left = maintenance.reduce((sum, one) => sum + within(one), 0);
  const known = Math.max(0, to - from) - left;
  const percent = known > 0 ? Math.floor(((known - offline) * 10_000) / known) / 100 : null;
  return { known, offline, outages, maintenance: left, percent };
}

/** A day or a month of a zone, and the uptime in it. Null: nothing of it is recorded. */
type UptimeTime = TimeRange & { uptime: Uptime | null };

const MIDNIGHT = { hour: 0, minute: 0, second: 0 };

/** The last days of a zone, from midnight to midnight, up to that of now, in order. */
export function uptimeDays(of: Availability, zone: string, days: number): UptimeTime[] {
  const today = { ...wallClock(of.now, zone), ...MIDNIGHT };
  return timesOf(of, days, (index) => instantOf({ ...today, day: today.day + index - days + 1 }, zone));
}

/** The months of a zone that have ended and of which something is recorded, at most the last twelve, in order. */
export function uptimeMonths(of: Availability, zone: string): (TimeRange & { uptime: Uptime })[] {
  const first = { ...wallClock(of.now, zone), ...MIDNIGHT, day: 1 };
  const months = timesOf(of, 12, (index) => instantOf({ ...first, month: first.month + index - 12 }, zone));
  return months.flatMap(({ uptime, ...time }) => (uptime ? { ...time, uptime } : []));
}

function timesOf(of: Availability, count: number, begin: (index: number) => number): UptimeTime[] {
  return Array.from({ length: count }, (_, index) => {
    const time = { from: begin(index), to: begin(index + 1) };
    const isRecorded = time.to > of.since && time.from < of.now;
    return { ...time, uptime: isRecorded ? uptimeOf(of, time) : null };
  });
}
