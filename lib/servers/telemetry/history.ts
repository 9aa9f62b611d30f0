import { db } from "@/lib/database/client";
import { query } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { type Comparison, comparedRange, inSteps, stepOf, type TimeRange } from "@/lib/format/time-range";
import { parseId } from "@/lib/http/ids";
import { runInBackground } from "@/lib/process/background";
import { env } from "@/lib/process/env";
import { BusyError, EVERYBODY, fair } from "@/lib/process/fair";
import { perProcess } from "@/lib/process/per-process.mjs";
import { type Bands, merge } from "@/lib/servers/telemetry/bands";
import { getRatedServer, listSteps, RATED, type RatedServer, toRatedServer } from "@/lib/servers/telemetry/past-scores";
import { findPeaks, PeakSearch, type Peaks } from "@/lib/servers/telemetry/peaks";
import { DAYS_OF_GRACE } from "@/lib/servers/telemetry/retention";
import { rollUp, settledUntil } from "@/lib/servers/telemetry/roll-ups";
import { RULE } from "@/lib/servers/telemetry/sum-statement";
import { hasSumsAlone, listSummedSteps, type SummedStep } from "@/lib/servers/telemetry/summed-steps";

/** How far a fixed range reaches back, and the length of one of its steps; at most 180 steps each. */
const RANGES = {
  "1h": { reach: HOUR, step: MINUTE },
  "24h": { reach: DAY, step: 10 * MINUTE },
  "7d": { reach: 7 * DAY, step: HOUR },
  "30d": { reach: 30 * DAY, step: 4 * HOUR },
} as const;
export type HistoryRange = keyof typeof RANGES;
export const HISTORY_RANGES = Object.keys(RANGES) as HistoryRange[];

/** The minutes of a longer time are not rated for a page: their hours are. */
const LONGEST_OF_MINUTES = DAY;

/** A page waits this long for missing roll-ups. The rest is made in the background. */
const PATIENCE = 1.5 * SECOND;

/**
 * `at` is the beginning of the step in epoch milliseconds, `late` the number of its minutes whose score was known only later. A
 * step of which nothing is known is absent.
 */
type HistoryPoint = { at: number; bands: Bands; late: number };

export type History = {
  /** Null: a time of its own. */
  range: HistoryRange | null;
  /** Epoch milliseconds: the first step begins at `from`, the last ends at `to` or is not over yet. */
  from: number;
  to: number;
  step: number;
  /** Where exactly a fixed range begins, which is within its first step or the one before; of any other time `from`. */
  since: number;
  /** The time of reading. */
  now: number;
  /** Where the data ends: `now`, or `to` where that is earlier. */
  until: number;
  /**
   * Why its points are hours: the time is long, its samples are older than they are kept, or they were
   * deleted before their time. Null: the points are samples.
   */
  hoursBecause: "long" | "old" | "gone" | null;
  /** When the server first checked in, or was added: nothing is known of the time before. */
  began: number;
  points: HistoryPoint[];
  peaks: Peaks;
  /** In how much of the time up to `until` (ms) there was a score: after the first check-in, as far as is kept. */
  known: number;
  /** False while older hours are still being summed up. */
  isComplete: boolean;
};

/** The range that a query names. For anything else: the shortest range that shows more than the moment. */
export function parseHistoryRange(text: unknown): HistoryRange {
  return HISTORY_RANGES.find((range) => range === text) ?? "24h";
}

/** Whether the samples of that time may have been deleted. */
function isOld(at: number, now: number): boolean {
  return at < now - env.kept.telemetryDays * DAY;
}

/** The time that is shown, in whole steps. */
type Steps = TimeRange & Pick<History, "step" | "hoursBecause">;

async function stepsOf(serverId: number, time: HistoryRange | TimeRange, now: number): Promise<Steps> {
  if (typeof time === "string") {
    const { reach, step } = RANGES[time];
    const to = Math.ceil((now + 1) / step) * step;
    return { from: to - reach, to, step, hoursBecause: step >= HOUR ? "long" : null };
  }
  const length = time.to - time.from;
  const hoursBecause =
    length > LONGEST_OF_MINUTES
      ? "long"
      : isOld(time.from, now)
        ? "old"
        : (await hasSumsAlone(serverId, time))
          ? "gone"
          : null;
  const step = stepOf(length, hoursBecause === null ? MINUTE : HOUR);
  return { ...inSteps(time, step), step, hoursBecause };
}

/**
 * How a server of the account was in a range up to `now` (epoch ms), or in any time that began before.
 * @throws NotFoundError when there is no such server of this account.
 */
export async function getHistory(
  accountId: number,
  idText: string,
  time: HistoryRange | TimeRange,
  now = Date.now(),
): Promise<History> {
  const server = await getRatedServer(accountId, parseId(idText));
  const { from, to, step, hoursBecause } = await stepsOf(server.id, time, now);
  const until = Math.min(now, to);
  const read = await readSteps(server, { from, to, step }, now);
  const peaks = await findPeaks(server, read.search);
  return {
    range: typeof time === "string" ? time : null,
    ...{ from, to, step, now, until, hoursBecause, peaks },
    since: typeof time === "string" ? now - RANGES[time].reach : from,
    began: server.countsFrom.getTime(),
    isComplete: read.isComplete,
    known: Math.min(until - from, read.minutes * MINUTE),
    points: [...read.points].map(([at, point]) => ({ at, ...point })),
  };
}

/** What was measured at an earlier time, as points (`at`: epoch ms) of the time that it is compared with. */
export type EarlierHistory = { step: number; points: { at: number; bands: Bands }[] };

/**
 * The same of the time that a history is compared with.
 * @throws NotFoundError when there is no such server of this account.
 */
export async function getEarlierHistory(
  accountId: number,
  idText: string,
  history: Pick<History, "from" | "to" | "step" | "now">,
  comparison: Comparison,
): Promise<EarlierHistory> {
  const server = await getRatedServer(accountId, parseId(idText));
  const { by, ...range } = comparedRange(history, comparison);
  // Where the samples have been deleted, their hours are drawn.
  const isOfHours = isOld(range.from, history.now) || (history.step < HOUR && (await hasSumsAlone(server.id, range)));
  const step = isOfHours ? Math.max(HOUR, history.step) : history.step;
  const { points } = await readSteps(server, { ...inSteps(range, step), step }, history.now);
  return { step, points: [...points].map(([at, { bands }]) => ({ at: at + by, bands })) };
}

type Point = Omit<HistoryPoint, "at">;
type Read = {
  /** By the beginning of the step. */
  points: Map<number, Point>;
  search: PeakSearch;
  minutes: number;
  isComplete: boolean;
};

/** Reads the sums of hours and, of the time that is not summed up yet or has shorter steps, samples. */
async function readSteps(
  server: RatedServer,
  { from, to, step }: TimeRange & { step: number },
  now: number,
): Promise<Read> {
  const isByHour = step >= HOUR;
  // Hours that are not settled yet are summed up for this page only.
  const young = isByHour ? Math.min(to, Math.max(from, settledUntil(now))) : from;
  const { steps, isComplete } = isByHour
    ? await readHours(server, { from, to, step }, young)
    : { steps: [], isComplete: true };
  const read: Read = { points: new Map(), search: new PeakSearch(), minutes: 0, isComplete };
  const add = (at: number, { bands, late }: Point) => {
    const before = read.points.get(at);
    read.points.set(at, before ? { bands: merge(before.bands, bands), late: before.late + late } : { bands, late });
  };
  for (const { at, bands, worst, minutes, late } of steps) {
    add(Math.max(from, at), { bands, late });
    read.search.addHour(bands, worst);
    read.minutes += minutes;
  }
  if (young >= to) return read;
  const untilNow = { from: young, until: Math.min(to, now + 1), step: Math.min(step, HOUR) };
  const rated = await listSteps(server, untilNow);
  for (const { at, bands, late } of rated.steps) {
    add(from + Math.floor((at - from) / step) * step, { bands, late });
    read.minutes += bands.score?.count ?? 0;
  }
  for (const { measure, value, at } of rated.worst) read.search.add(measure, value, at, 0);
  return read;
}

/** The summed hours in `[from, young)`, by steps. Missing ones are summed up first. */
async function readHours(
  server: RatedServer,
  { from, to, step }: TimeRange & { step: number },
  young: number,
): Promise<{ steps: SummedStep[]; isComplete: boolean }> {
  // What has been deleted cannot be summed up.
  const since = Math.max(from, Date.now() - (env.kept.telemetryDays + DAYS_OF_GRACE) * DAY);
  const isComplete = await rollUp(server, since, to, Date.now() + PATIENCE);
  if (!isComplete) rollUpInBackground([server], since, to);
  return { steps: await listSummedSteps(server.id, { from, until: young, step }), isComplete };
}

/** The mean score of one hour. `hour` is its beginning in epoch milliseconds. */
export type TrendPoint = { hour: number; score: number };

const s = table("Server", "s");
const h = table("TelemetryHour", "h");

// Raw, to read one row per server and only the score. A hundred servers have 2,400 hours.
const TRENDS = statement(
  { from: h.hour, accountId: s.accountId, ids: parameter<readonly number[]>("int[]") },
  ({ from, accountId, ids }) =>
    select(
      {
        id: s.id,
        hours: new Expression<number[]>(`array_agg((extract(epoch from ${h.hour}) * 1000)::float8 order by ${h.hour})`),
        scores: new Expression<(number | null)[]>(
          `array_agg((${h.bands} -> 'score' ->> 1)::float8 order by ${h.hour})`,
        ),
      },
      `from ${s} join ${h} on ${h.serverId} = ${s.id} and ${h.hour} >= ${from} and not ${h.stale} and ${h.rule} = ${RULE}
      where ${s.accountId} = ${accountId} and ${s.id} = any(${ids}) group by ${s.id}`,
    ),
);

/**
 * The mean scores of the last 24 hours, by server. Includes only hours that are summed up already, so that a long list
 * never waits. The missing hours are summed up in the background for the next request.
 */
export async function listTrends(accountId: number, serverIds: readonly number[]): Promise<Map<number, TrendPoint[]>> {
  const now = Date.now();
  const from = settledUntil(now) - DAY;
  const rows = await query(TRENDS, { from: new Date(from), accountId, ids: serverIds });
  const complete = new Set(rows.filter(({ hours }) => hours.length >= DAY / HOUR).map(({ id }) => id));
  const behind = serverIds.filter((id) => !complete.has(id));
  if (behind.length > 0) {
    const servers = await db.server.findMany({
      where: { accountId, id: { in: behind } },
      select: RATED,
    });
    rollUpInBackground(servers.map(toRatedServer), from, now);
  }
  return new Map(rows.map(({ id, hours, scores }) => [id, trendOf(hours, scores)]));
}

function trendOf(hours: readonly number[], scores: readonly (number | null)[]): TrendPoint[] {
  return hours.flatMap((hour, index) => {
    const score = scores[index];
    return score === null || score === undefined ? [] : [{ hour, score }];
  });
}

const toRollUp = perProcess("roll-ups", () => new Set<number>());

/** Sums up one server after the other. A server that is queued already is not queued again. */
function rollUpInBackground(servers: readonly RatedServer[], from: number, to: number): void {
  const added = servers.filter(({ id }) => !toRollUp.has(id));
  if (added.length === 0) return;
  for (const { id } of added) toRollUp.add(id);
  runInBackground("summing up hours", async () => {
    try {
      for (const server of added) {
        await fair("sum", EVERYBODY, () => rollUp(server, from, to));
      }
    } catch (error) {
      // The next reader asks again.
      if (!(error instanceof BusyError)) throw error;
    } finally {
      for (const { id } of added) toRollUp.delete(id);
    }
  });
}
