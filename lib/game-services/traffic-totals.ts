import { databaseNow } from "@/lib/database/clock";
import { query } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY, HOUR } from "@/lib/format/time";
import { COUNTERS, type Counter } from "./counters";
import { RANGES } from "./metrics-query";

/** How long a step lasts, in milliseconds; steps begin with the hours and days of UTC. */
const STEPS = { hour: HOUR, day: DAY } as const;
export const TOTALS_BY = ["hour", "day", "node"] as const;
type By = (typeof TOTALS_BY)[number];

/** Sums over nodes and intervals; the least and greatest latency are null where none was measured. */
export type Sums = Record<Counter, number> & { latency_ms_least: number | null; latency_ms_greatest: number | null };
/** `at`: when the step begins, in epoch milliseconds; of nodes, the id of one. */
type TrafficTotals = { from: number; to: number; total: Sums; parts: ({ at: number } & Sums)[] };

const m = table("MetricSample", "m");
/** The sum of each counter of `m`. No sum of what the table takes is too large for it. */
export const SUMS = Object.fromEntries(
  COUNTERS.map((counter) => [counter, new Expression<number>(`sum(${m[counter]})::float8`, "json")]),
) as Record<Counter, Expression<number>>;
/** The least and greatest latency of `m`. */
export const latencies = {
  latency_ms_least: new Expression<number | null>(`min(${m.latencyMs})`, "json"),
  latency_ms_greatest: new Expression<number | null>(`max(${m.latencyMs})`, "json"),
};

const WINDOW = { serviceId: m.serviceId, after: m.ts, until: m.ts };

// Raw: the database sums up tens of thousands of rows.
const sumsBy = <At extends Date | number>(at: Expression<At>, window: Record<keyof typeof WINDOW, string>) =>
  select(
    { at, ...SUMS, ...latencies },
    `from ${m} where ${m.serviceId} = ${window.serviceId} and ${m.ts} > ${window.after} and ${m.ts} <= ${window.until}
    group by 1 order by 1`,
  );

const BY_STEP = statement({ ...WINDOW, step: parameter<number>("float8") }, ({ step, ...window }) =>
  sumsBy(new Expression<Date>(`date_bin(make_interval(secs => ${step} / 1000), ${m.ts}, 'epoch')`, "instant"), window),
);

const BY_NODE = statement(WINDOW, (window) => sumsBy(m.nodeId, window));

/** What `getMetrics` answers of a service that the caller may see, summed up by hour, day or node. `now`: epoch ms. */
export async function sumTraffic(
  serviceId: number,
  range: keyof typeof RANGES,
  by: By,
  now: number = databaseNow().getTime(),
): Promise<TrafficTotals> {
  const from = now - RANGES[range];
  const window = { serviceId, after: new Date(from), until: new Date(now) };
  const parts = await (by === "node" ? query(BY_NODE, window) : query(BY_STEP, { ...window, step: STEPS[by] }));
  return { from, to: now, total: totalOf(parts), parts };
}

/** Adds up sums of several nodes or times. */
export function totalOf(parts: readonly Sums[]): Sums {
  const sum = (counter: Counter) => parts.reduce((total, part) => total + part[counter], 0);
  const measured = (name: "latency_ms_least" | "latency_ms_greatest") => parts.flatMap((part) => part[name] ?? []);
  return {
    packets: sum("packets"),
    bytes: sum("bytes"),
    dropped: sum("dropped"),
    connections: sum("connections"),
    latency_ms_least: measured("latency_ms_least").reduce<number | null>((a, b) => Math.min(a ?? b, b), null),
    latency_ms_greatest: measured("latency_ms_greatest").reduce<number | null>((a, b) => Math.max(a ?? b, b), null),
  };
}
