import { query } from "@/lib/database/run-statement";
import { type JsonOf, parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { type Comparison, comparedRange, inSteps, stepOf, type TimeRange } from "@/lib/format/time-range";
import { env } from "@/lib/process/env";
import { HISTORY_MEASURES, type HistoryMeasure } from "@/lib/servers/telemetry/measurements";

/** How far a fixed range reaches back, and the length of one of its steps; at most 180 steps each. */
const RANGES = {
  "1h": { reach: HOUR, step: MINUTE },
  "24h": { reach: DAY, step: 10 * MINUTE },
  "7d": { reach: 7 * DAY, step: HOUR },
  "30d": { reach: 30 * DAY, step: 4 * HOUR },
} as const;
export type HistoryRange = keyof typeof RANGES;
export const HISTORY_RANGES = Object.keys(RANGES) as HistoryRange[];

/** A longer time is drawn from its hours, and so is what is older than samples are kept. */
const LONGEST_OF_SAMPLES = 2 * DAY;

/** The range of a measurement over a step. `count` is the number of samples of the step. */
type Band = { least: number; mean: number; greatest: number; count: number };
/** By measurement; without those that were not measured. */
type Bands = Partial<Record<HistoryMeasure, Band>>;
/** A step that begins at `at` (epoch ms). A step without samples is absent: it is a gap. */
type HistoryPoint = { at: number; bands: Bands };

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
  /** Why its points are hours: the time is long, or its samples are older than they are kept. Null: they are samples. */
  hoursBecause: "long" | "old" | null;
  points: HistoryPoint[];
};

/** The range that a query names. For anything else: the shortest range that shows more than the moment. */
export function parseHistoryRange(text: unknown): HistoryRange {
  return HISTORY_RANGES.find((range) => range === text) ?? "24h";
}

type Figures = readonly [least: string, mean: string, greatest: string];

const RANGE = {
  serverId: parameter<number>("int"),
  from: parameter<Date>("timestamptz"),
  to: parameter<Date>("timestamptz"),
  stepMs: parameter<number>("float8"),
};
// Raw: one JSON text of the time, the samples and the figures of each step, in the order of HISTORY_MEASURES.
function stepsOf(source: string, time: string, count: string, figuresOf: (measure: HistoryMeasure) => Figures) {
  const figures = HISTORY_MEASURES.flatMap(figuresOf).map((figure) => `coalesce((${figure})::real::text, 'null')`);
  return statement(RANGE, ({ serverId, from, to, stepMs }) =>
    select(
      { steps: new Expression<JsonOf<number[][]> | null>("'[' || string_agg(figures, ',' order by step) || ']'") },
      `from (
        select step, concat('[', concat_ws(',', (date_part('epoch', step) * 1000)::bigint, ${count}, ${figures.join(", ")}), ']') as figures
        from (select *, date_bin(${stepMs} * interval '1 ms', ${time}, ${from}) as step from ${source}
          where server_id = ${serverId} and ${time} >= ${from} and ${time} < ${to}) rows
        group by step) steps`,
    ),
  );
}

const h = table("TelemetryHour", "h");
const t = table("TelemetrySample", "t");
const SAMPLES = stepsOf("telemetry_samples", t.at.name, "count(*)", (measure) => {
  const { name } = t[measure];
  return [`min(${name})`, `avg(${name})`, `max(${name})`];
});
const HOURS = stepsOf("telemetry_hours", h.hour.name, "sum(samples)", (measure) => {
  const [least, mean, greatest] = [h[`${measure}Min`].name, h[`${measure}Avg`].name, h[`${measure}Max`].name];
  // An instance of the version before gives an hour values without counting them.
  const count = `greatest(1, coalesce(${h[`${measure}Count`].name}, samples))`;
  return [
    `min(${least})`,
    `sum(${mean} * ${count}) / sum(${count}) filter (where ${mean} is not null)`,
    `max(${greatest})`,
  ];
});

/** How a server, whose account the caller has checked, was in a range up to `now` (epoch ms), or in any time before. */
export async function getHistory(serverId: number, time: HistoryRange | TimeRange, now: number): Promise<History> {
  const shown = shownTime(time, now);
  const points = await readPoints(serverId, shown);
  return {
    range: typeof time === "string" ? time : null,
    ...shown,
    since: typeof time === "string" ? now - RANGES[time].reach : shown.from,
    now,
    until: Math.min(now, shown.to),
    points,
  };
}

/** What was measured at an earlier time, as points (`at`: epoch ms) of the time that it is compared with. */
export type EarlierHistory = { step: number; points: HistoryPoint[] };

/** The same of the time that a history is compared with. */
export async function getEarlierHistory(
  serverId: number,
  history: Pick<History, "from" | "to" | "step" | "now">,
  comparison: Comparison,
): Promise<EarlierHistory> {
  const { by, ...range } = comparedRange(history, comparison);
  const step = isOld(range.from, history.now) ? Math.max(HOUR, history.step) : history.step;
  const points = await readPoints(serverId, { ...inSteps(range, step), step });
  return { step, points: points.map(({ at, bands }) => ({ at: at + by, bands })) };
}

/** Whether the samples of that time may have been deleted. */
function isOld(at: number, now: number): boolean {
  return at < now - env.telemetryDays * DAY;
}

/** The time that is shown, in whole steps. */
function shownTime(time: HistoryRange | TimeRange, now: number): TimeRange & Pick<History, "step" | "hoursBecause"> {
  if (typeof time === "string") {
    const { reach, step } = RANGES[time];
    const to = Math.ceil((now + 1) / step) * step;
    return { from: to - reach, to, step, hoursBecause: step >= HOUR ? "long" : null };
  }
  const length = time.to - time.from;
  const hoursBecause = length > LONGEST_OF_SAMPLES ? "long" : isOld(time.from, now) ? "old" : null;
  const step = stepOf(length, hoursBecause === null ? MINUTE : HOUR);
  return { ...inSteps(time, step), step, hoursBecause };
}

async function readPoints(serverId: number, { from, to, step }: TimeRange & { step: number }): Promise<HistoryPoint[]> {
  const which = step < HOUR ? SAMPLES : HOURS;
  const [row] = await query(which, { serverId, from: new Date(from), to: new Date(to), stepMs: step });
  const steps: (number | null)[][] = row?.steps ? JSON.parse(row.steps) : [];
  return steps.map(([at, count, ...figures]) => ({ at: at ?? 0, bands: bandsOf(figures, count ?? 0) }));
}

function bandsOf(figures: readonly (number | null)[], count: number): Bands {
  const bands: Bands = {};
  let place = 0;
  for (const measure of HISTORY_MEASURES) {
    const [least, mean, greatest] = [figures[place++], figures[place++], figures[place++]];
    if (least != null && mean != null && greatest != null) bands[measure] = { least, mean, greatest, count };
  }
  return bands;
}

/** The mean score of one hour. `hour` is its beginning in epoch milliseconds. */
export type TrendPoint = { hour: number; score: number };

const s = table("Server", "s");
// Raw, to read one row per server and only the score. A hundred servers have 2,400 hours.
const TRENDS = statement(
  { accountId: s.accountId, ids: parameter<readonly number[]>("int[]"), from: h.hour },
  ({ accountId, ids, from }) =>
    select(
      {
        id: s.id,
        hours: new Expression<[hour: number, score: number][]>(
          `json_agg(json_build_array((date_part('epoch', ${h.hour}) * 1000)::bigint, ${h.scoreAvg}) order by ${h.hour})`,
        ),
      },
      `from ${s} join ${h} on ${h.serverId} = ${s.id} and ${h.hour} >= ${from} and ${h.scoreAvg} is not null
      where ${s.accountId} = ${accountId} and ${s.id} = any(${ids}) group by ${s.id}`,
    ),
);

/** The mean scores of the last 24 hours up to `now` (epoch ms), the present one included, by server. */
export async function listTrends(
  accountId: number,
  serverIds: readonly number[],
  now: number,
): Promise<Map<number, TrendPoint[]>> {
  const rows = await query(TRENDS, { accountId, ids: serverIds, from: new Date(now - DAY) });
  return new Map(rows.map(({ id, hours }) => [id, hours.map(([hour, score]) => ({ hour, score }))]));
}
