import { BusyError } from "@/lib/admission/busy-error";
import { PURPOSES, withPlace } from "@/lib/admission/shares";
import { db } from "@/lib/database/client";
import { fromReplica, hasReplica, queryReplica } from "@/lib/database/replica";
import { parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { parseId } from "@/lib/http/ids";
import { runInBackground } from "@/lib/process/background";
import { perProcess } from "@/lib/process/per-process";
import { hasReaderLeft } from "@/lib/process/reader.mjs";
import { type Bands, merge } from "@/lib/servers/telemetry/bands";
import { getRatedServer, listSteps, RATED, type RatedServer, toRatedServer } from "@/lib/servers/telemetry/past-scores";
import { findPeaks, PeakSearch, type Peaks } from "@/lib/servers/telemetry/peaks";
import { isBehind, listHours, rollUp, type SummedHour, settledUntil } from "@/lib/servers/telemetry/roll-ups";
import { heardShare, listSilences, type Silence } from "@/lib/servers/telemetry/silences";
import { RULE } from "@/lib/servers/telemetry/sum-statement";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/time";

/** How far a history reaches back, and the length of one of its steps; at most 180 steps each. */
const RANGES = {
  "1h": { reach: HOUR, step: MINUTE },
  "24h": { reach: DAY, step: 10 * MINUTE },
  "7d": { reach: 7 * DAY, step: HOUR },
  "30d": { reach: 30 * DAY, step: 4 * HOUR },
} as const;
export type HistoryRange = keyof typeof RANGES;
export const HISTORY_RANGES = Object.keys(RANGES) as HistoryRange[];

/** A page waits this long for missing roll-ups. The rest is made in the background. */
const PATIENCE = 1.5 * SECOND;

/**
 * `at` is the beginning of the step in epoch milliseconds, `heard` the share of it in which the daemon was heard, 0 to 1,
 * `late` the number of its minutes whose score was known only later. A step of which nothing is known is absent.
 */
export type HistoryPoint = { at: number; heard: number; bands: Bands; late: number };

export type History = {
  range: HistoryRange;
  /** Epoch milliseconds: the first step begins at `from`, the last ends at `to` or is not over yet. */
  from: number;
  to: number;
  step: number;
  /** The time of reading. A silence that ends at this time is still going on. */
  now: number;
  points: HistoryPoint[];
  silences: Silence[];
  peaks: Peaks;
  /** In how much of the time until now (ms) there was a score: after the first check-in, as far as is kept. */
  known: number;
  /** False while older hours are still being summed up. */
  isComplete: boolean;
};

/** The range that a query names. For anything else: the shortest range that shows more than the moment. */
export function parseHistoryRange(text: unknown): HistoryRange {
  return HISTORY_RANGES.find((range) => range === text) ?? "24h";
}

/**
 * How a server of the account was in the time up to `now` (epoch ms).
 * @throws NotFoundError when there is no such server of this account.
 */
export async function getHistory(
  accountId: number,
  idText: string,
  range: HistoryRange,
  now = Date.now(),
): Promise<History> {
  const server = await getRatedServer(accountId, parseId(idText));
  const { reach, step } = RANGES[range];
  const to = Math.ceil((now + 1) / step) * step;
  const from = to - reach;
  const isByHour = step >= HOUR;
  // Hours that are not settled yet are summed up for this page only.
  const young = isByHour ? Math.max(from, settledUntil(now)) : from;
  const { hours, isComplete } = isByHour
    ? await readHours(accountId, server, from, to, young)
    : { hours: [], isComplete: true };
  const points = new Map<number, Omit<HistoryPoint, "at" | "heard">>();
  const search = new PeakSearch();
  let knownMinutes = 0;
  const add = (time: number, length: number, bands: Bands, late: number) => {
    const at = from + Math.floor((time - from) / step) * step;
    const before = points.get(at);
    points.set(at, { bands: merge(before?.bands ?? {}, bands), late: (before?.late ?? 0) + late });
    // Versions before counted the samples that have a score.
    knownMinutes += Math.min(length / MINUTE, bands.score?.count ?? 0);
  };
  for (const { hour, bands, late } of hours) {
    add(hour, HOUR, bands, late);
    search.add(hour, bands);
  }
  const heardAt = hasReplica ? server.lastSeenAt.getTime() : null;
  const untilNow = { from: young, until: now + 1, step: Math.min(step, HOUR), heardAt };
  for (const { at, bands, worst, late } of await fromReplica(({ client }) => listSteps(server, untilNow, client))) {
    add(at, untilNow.step, bands, late);
    search.add(at, bands, worst);
  }
  const heardHours = hours.filter(({ samples }) => samples > 0).map(({ hour }) => hour);
  const [silences, peaks] = await Promise.all([
    listSilences(server.id, from, now, heardHours, heardAt ?? from),
    fromReplica(({ client }) => findPeaks(server, search, client)),
  ]);
  return {
    range,
    from,
    to,
    step,
    now,
    isComplete,
    silences,
    peaks,
    known: Math.min(now - from, knownMinutes * MINUTE),
    points: [...points].map(([at, point]) => ({
      at,
      heard: heardShare(silences, at, Math.min(at + step, now)),
      ...point,
    })),
  };
}

/**
 * The summed hours in `[from, young)`. The replica answers when it has them all. Otherwise the missing ones are summed up,
 * and the primary answers, because it alone has them at once.
 */
async function readHours(
  accountId: number,
  server: RatedServer,
  from: number,
  to: number,
  young: number,
): Promise<{ hours: SummedHour[]; isComplete: boolean }> {
  const known = await fromReplica(async ({ client }) =>
    (await isBehind(server.id, from, to, client)) ? null : listHours(server.id, from, young, client),
  );
  if (known) return { hours: known, isComplete: true };
  const isComplete = await rollUp(server, from, to, Date.now() + PATIENCE);
  if (!isComplete && !hasReaderLeft()) rollUpInBackground(accountId, [server], from, to);
  return { hours: await listHours(server.id, from, young), isComplete };
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
  const rows = await queryReplica(TRENDS, { from: new Date(from), accountId, ids: serverIds });
  const complete = new Set(rows.filter(({ hours }) => hours.length >= DAY / HOUR).map(({ id }) => id));
  const behind = serverIds.filter((id) => !complete.has(id));
  if (behind.length > 0) {
    const servers = await db.server.findMany({
      where: { accountId, id: { in: behind } },
      select: RATED,
    });
    rollUpInBackground(accountId, servers.map(toRatedServer), from, now);
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

/** Sums up one server after the other, in the turn of their account. A server that is queued already is not queued again. */
function rollUpInBackground(accountId: number, servers: readonly RatedServer[], from: number, to: number): void {
  const added = servers.filter(({ id }) => !toRollUp.has(id));
  if (added.length === 0) return;
  for (const { id } of added) toRollUp.add(id);
  runInBackground("summing up hours", async () => {
    try {
      for (const server of added) {
        await withPlace(PURPOSES.sum, accountId, "roll-up", () => rollUp(server, from, to));
      }
    } catch (error) {
      // The next reader asks again.
      if (!(error instanceof BusyError)) throw error;
    } finally {
      for (const { id } of added) toRollUp.delete(id);
    }
  });
}
