import { queryReplica } from "@/lib/database/replica";
import { parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY, HOUR, MINUTE, SECOND, startOfHour } from "@/lib/format/time";
import { listServerEvents } from "@/lib/servers/events/server-events";

/** A longer pause between samples counts as an outage. A daemon checks in twice a minute and is offline after two minutes. */
export const LONGEST_PAUSE = 2.5 * MINUTE;
/** How far back the first sample of a server is looked for. */
const LOOKED_BACK = 31 * DAY;

/** A time in which nothing was heard of a server, in epoch milliseconds; to now, if it goes on. */
export type Silence = { from: number; to: number };

const t = table("TelemetrySample", "t");
const h = table("TelemetryHour", "h");

// Raw, because it is three look-ups in primary keys.
const EDGES = statement({ serverId: t.serverId, since: t.ts, from: t.ts, until: t.ts }, (values) => {
  const samples = `from ${t} where ${t.serverId} = ${values.serverId}`;
  return select({
    before: new Expression<Date | null>(
      `(select max(${t.ts}) ${samples} and ${t.ts} >= ${values.since} and ${t.ts} < ${values.from})`,
      "instant",
    ),
    first: new Expression<Date | null>(
      `(select min(${t.ts}) ${samples} and ${t.ts} >= ${values.from} and ${t.ts} < ${values.until})`,
      "instant",
    ),
    hour: new Expression<Date | null>(
      `(select ${h.hour} from ${h} where ${h.serverId} = ${values.serverId} and ${h.hour} < ${values.until} and ${h.samples} > 0
        order by ${h.hour} limit 1)`,
      "instant",
    ),
  });
});

// Raw, because PostgreSQL finds the gaps in the primary key alone: a month has 86,400 samples and a few gaps.
const GAPS = statement(
  { serverId: t.serverId, from: t.ts, until: t.ts, pauseS: parameter<number>("float8") },
  ({ serverId, from, until, pauseS }) =>
    select(
      {
        from: new Expression<Date>("gap.at", "instant"),
        to: new Expression<Date>("gap.next", "instant"),
      },
      `from (
        select ${t.ts} as at, lead(${t.ts}, 1, ${until}) over (order by ${t.ts}) as next
        from ${t} where ${t.serverId} = ${serverId} and ${t.ts} >= ${from} and ${t.ts} < ${until}) gap
      where gap.next - gap.at > make_interval(secs => ${pauseS}) order by gap.at`,
    ),
);

/**
 * The silences of a server between `from` and `until`, as they are known at `now` (all epoch ms), in order: what its events tell
 * of, which is what its lane, its uptime and the fleet say as well. Of the time before any were recorded there are no events:
 * there it was silent while no sample came. `hours`: see `listGaps`.
 */
export async function listSilences(
  serverId: number,
  { from, until }: { from: number; until: number },
  hours: readonly number[],
  now: number,
): Promise<Silence[]> {
  const { silences, recordedSince } = await listServerEvents(serverId, { from, to: until }, now);
  const told: Silence[] = [];
  for (const event of silences) {
    const [begin, end] = [Math.max(from, event.from), Math.min(until, event.to ?? until)];
    const last = told.at(-1);
    // Whatever is known of its parts.
    if (last?.to === begin) last.to = end;
    else told.push({ from: begin, to: end });
  }
  const recorded = Math.min(until, recordedSince ?? until);
  if (from >= recorded) return told;
  // A gap that an event covers is left out, and so is one that goes on now: a replica lacks the latest samples.
  const isToldOf = (gap: Silence) => gap.to === now || told.some((one) => one.from < gap.to && one.to > gap.from);
  const before = (await listGaps(serverId, from, recorded, hours)).filter((gap) => !isToldOf(gap));
  return [...before, ...told];
}

/**
 * The times between `from` and `until` (epoch ms) without samples, in order. The time before the first sample is not one.
 * An hour that is summed up but whose samples have been deleted is not one either: `hours` are the beginnings of the summed
 * hours that had samples, in order.
 */
async function listGaps(serverId: number, from: number, until: number, hours: readonly number[]): Promise<Silence[]> {
  const times = { from: new Date(from), until: new Date(until) };
  const [edges] = await queryReplica(EDGES, { serverId, since: new Date(from - LOOKED_BACK), ...times });
  const firstSample = edges?.before ?? edges?.first ?? null;
  const gaps =
    firstSample === null
      ? []
      : await queryReplica(GAPS, { serverId, ...times, from: new Date(firstSample), pauseS: LONGEST_PAUSE / SECOND });
  const firstHour = edges?.hour ?? null;
  // Samples are deleted by whole hours.
  const firstHourOfSamples = firstSample === null ? until : startOfHour(firstSample);
  const isKnownEarlier = firstHour !== null && firstHour < firstHourOfSamples;
  const all = isKnownEarlier ? [{ from: firstHour, to: firstHourOfSamples }, ...gaps] : gaps;
  return all
    .map((gap) => ({ from: Math.max(from, gap.from), to: gap.to }))
    .flatMap((gap) => without(hours, gap))
    .filter((gap) => gap.to - gap.from > LONGEST_PAUSE);
}

/** How much of `[from, to)` was not silent, 0 to 1. */
export function heardShare(silences: readonly Silence[], from: number, to: number): number {
  const silent = silences.reduce(
    (sum, silence) => sum + Math.max(0, Math.min(to, silence.to) - Math.max(from, silence.from)),
    0,
  );
  return to > from ? 1 - silent / (to - from) : 1;
}

/** A silence less the hours within it, which are in order. */
function without(hours: readonly number[], { from, to }: Silence): Silence[] {
  const left: Silence[] = [];
  let since = from;
  for (let index = firstFrom(hours, from); (hours[index] ?? to) + HOUR <= to; index++) {
    const hour = hours[index] as number;
    if (hour > since) left.push({ from: since, to: hour });
    since = hour + HOUR;
  }
  return since < to ? [...left, { from: since, to }] : left;
}

/** The index of the first hour at or after a time: a server may have a thousand silences, and 400 days 9,600 hours. */
function firstFrom(hours: readonly number[], at: number): number {
  let [low, high] = [0, hours.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((hours[middle] ?? at) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
