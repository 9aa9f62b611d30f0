import type { MetricRange } from "@/lib/api/schemas";
import { db } from "@/lib/database/client";
import { databaseNow } from "@/lib/database/clock";
import { query } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { HOUR, MINUTE } from "@/lib/format/time";
import { type Comparison, comparedRange, inSteps, stepOf, type TimeRange } from "@/lib/format/time-range";
import { COUNTERS, type Counter } from "./counters";
import { RANGE_NAMES, RANGES } from "./metrics-query";
import { latencies, SUMS, type Sums, totalOf } from "./traffic-totals";

/** `step`: how much time one point of a chart covers, in milliseconds. */
const STEPS: Readonly<Record<MetricRange, number>> = { "1h": MINUTE, "24h": 10 * MINUTE, "7d": HOUR };

/** The range that a page is asked for; 1h for anything else. */
export function parseTrafficRange(text: unknown): MetricRange {
  return RANGE_NAMES.find((range) => range === text) ?? "1h";
}

/** What players asked for. Null: no node says. */
type Asked = {
  /** Connections to the origin that asked to play, and for the status. */
  joins: number | null;
  pings: number | null;
  /** Status pings that edge nodes answered themselves. */
  answered: number | null;
  /** Who plays now, as nodes say that were heard lately. */
  players: number | null;
};

/** The minutes of one step: their smallest, mean and greatest count. */
export type Band = { least: number; mean: number; greatest: number; count: number };
/** `at` is when the step begins. A latency that was never measured in it is null. */
type TrafficPoint = { at: number } & Record<Counter, Band> & { latency: Band | null };

/** The time that is read, and how much of it one point covers; all in (epoch) milliseconds. */
type Window = TimeRange & { step: number };

export type Traffic = Window & {
  /** Null: a time of its own. */
  range: MetricRange | null;
  /** Whether it ends now. */
  isNow: boolean;
  /** Of the chosen node, or of all of them together. */
  totals: Sums;
  asked: Asked;
  points: TrafficPoint[];
  /** The ids of the nodes that counted anything in this time, by id. */
  nodeIds: number[];
};

const m = table("MetricSample", "m");

const asked = {
  joins: new Expression<number | null>(`sum(${m.joins})::bigint`, "json"),
  pings: new Expression<number | null>(`sum(${m.pings})::bigint`, "json"),
  answered: new Expression<number | null>(`sum(${m.answered})::bigint`, "json"),
  players: new Expression<number | null>(`(array_agg(${m.players} order by ${m.ts} desc))[1]`, "json"),
};
/** Who played in an older interval may have left since, in milliseconds. */
const PLAYERS_FOR = 5 * MINUTE;

const TOTALS = statement({ serviceId: m.serviceId, after: m.ts, until: m.ts }, ({ serviceId, after, until }) =>
  select(
    { nodeId: m.nodeId, ...SUMS, ...asked, ...latencies, lastAt: new Expression<Date>(`max(${m.ts})`, "instant") },
    `from ${m} where ${m.serviceId} = ${serviceId} and ${m.ts} > ${after} and ${m.ts} <= ${until}
    group by ${m.nodeId} order by ${m.nodeId}`,
  ),
);

/** SQL of the band of a value, whose columns are those of each minute. */
const bandOf = (mean: string, least = mean, greatest = mean) =>
  new Expression<Band>(
    `json_build_object('least', min(minute.${least}), 'mean', avg(minute.${mean})::float8,
      'greatest', max(minute.${greatest}), 'count', count(minute.${mean}))`,
    "json",
  );
const bands = Object.fromEntries(COUNTERS.map((counter) => [counter, bandOf(counter)])) as Record<
  Counter,
  Expression<Band>
>;
const latency = bandOf("latency_mean", "latency_least", "latency_greatest");

// Sums the nodes of each minute first, then compares minutes.
const POINTS = statement(
  {
    serviceId: m.serviceId,
    after: m.ts,
    until: m.ts,
    nodeId: parameter<number | null>("int"),
    step: parameter<number>("float8"),
  },
  ({ serviceId, after, until, nodeId, step }) =>
    select(
      {
        at: new Expression<Date>("minute.step", "instant"),
        ...bands,
        latency: new Expression<Band | null>(`case when count(minute.latency_mean) > 0 then ${latency} end`, "json"),
      },
      `from (
        select date_bin(make_interval(secs => ${step} / 1000), ${m.ts}, 'epoch') as step,
          ${COUNTERS.map((counter) => `sum(${m[counter]}) as ${counter}`).join(", ")},
          min(${m.latencyMs}) as latency_least, avg(${m.latencyMs}) as latency_mean, max(${m.latencyMs}) as latency_greatest
        from ${m} where ${m.serviceId} = ${serviceId} and ${m.ts} > ${after} and ${m.ts} <= ${until}
          and (${nodeId} is null or ${m.nodeId} = ${nodeId})
        group by ${m.ts}) minute
      group by minute.step order by minute.step`,
    ),
);

/**
 * The traffic of a service that the caller may see: what `getMetrics` answers, summed up, in a range up to `now` (epoch ms) or
 * in any time that began before.
 */
export async function getTraffic(
  serviceId: number,
  time: MetricRange | TimeRange,
  nodeId: number | null,
  now: number = databaseNow().getTime(),
): Promise<Traffic> {
  if (typeof time === "string") {
    const window = { from: now - RANGES[time], to: now, step: STEPS[time] };
    return { ...(await readTraffic(serviceId, window, nodeId, now)), range: time };
  }
  const step = stepOf(time.to - time.from, MINUTE);
  const { from, to } = inSteps(time, step);
  return readTraffic(serviceId, { from, to: Math.min(now, to), step }, nodeId, now);
}

async function readTraffic(serviceId: number, window: Window, nodeId: number | null, now: number): Promise<Traffic> {
  const { from, to, step } = window;
  const times = { serviceId, after: new Date(from), until: new Date(to) };
  const [totals, points] = await Promise.all([query(TOTALS, times), query(POINTS, { ...times, nodeId, step })]);
  const chosen = totals
    .filter((row) => nodeId === null || row.nodeId === nodeId)
    .map((row) => ({ ...row, players: now - row.lastAt < PLAYERS_FOR ? row.players : null }));
  return {
    ...window,
    range: null,
    isNow: to === now,
    nodeIds: totals.map((row) => row.nodeId),
    totals: totalOf(chosen),
    asked: togetherAsked(chosen),
    points,
  };
}

/** The latency that one node measured, in the steps of the traffic; a step in which it measured none is absent. */
export type LatencySeries = { nodeId: number; points: (Band & { at: number })[] };

/** More lines in one chart are hard to tell apart. */
const MAX_LATENCIES = 3;

/**
 * The latencies of the chosen node, or of each node. Nodes stand in different places, so a mean over them has no meaning.
 * Null when a chart cannot show that many nodes.
 */
export async function listLatencies(
  serviceId: number,
  { from, to, step, nodeIds, points }: Traffic,
  nodeId: number | null,
): Promise<LatencySeries[] | null> {
  const latenciesOf = (from: readonly TrafficPoint[]) =>
    from.flatMap(({ at, latency }) => (latency === null ? [] : [{ ...latency, at }]));
  const chosen = nodeId ?? (nodeIds.length === 1 ? nodeIds[0] : undefined);
  if (chosen !== undefined) return [{ nodeId: chosen, points: latenciesOf(points) }];
  if (nodeIds.length > MAX_LATENCIES) return null;
  const all = nodeIds.map(async (id) => {
    const traffic = await readTraffic(serviceId, { from, to, step }, id, to);
    return { nodeId: id, points: latenciesOf(traffic.points) };
  });
  return Promise.all(all);
}

/** The points of an earlier time, at the times of that which it is compared with. */
export type EarlierTraffic = { points: TrafficPoint[]; latencies: LatencySeries[] | null };

/** What the same service counted in the time that its traffic is compared with. */
export async function getEarlierTraffic(
  serviceId: number,
  traffic: Traffic,
  nodeId: number | null,
  comparison: Comparison,
): Promise<EarlierTraffic> {
  const { by, from, to } = comparedRange(traffic, comparison);
  const earlier = await readTraffic(serviceId, { from, to, step: traffic.step }, nodeId, to);
  const latencies = await listLatencies(serviceId, earlier, nodeId);
  const later = <Point extends { at: number }>(point: Point) => ({ ...point, at: point.at + by });
  return {
    points: earlier.points.map(later),
    latencies: latencies?.map(({ points, ...node }) => ({ ...node, points: points.map(later) })) ?? null,
  };
}

function togetherAsked(all: readonly Asked[]): Asked {
  const sum = (name: keyof Asked) => {
    const said = all.flatMap((one) => one[name] ?? []);
    return said.length === 0 ? null : said.reduce((total, one) => total + one, 0);
  };
  return { joins: sum("joins"), pings: sum("pings"), answered: sum("answered"), players: sum("players") };
}

/** The dropped share of all sessions, in percent. Null when there was none. */
export function droppedShare({ connections, dropped }: Pick<Sums, "connections" | "dropped">): number | null {
  const all = connections + dropped;
  return all === 0 ? null : (dropped / all) * 100;
}

/** Whether edge nodes ever counted somebody who asked to play, of the intervals that are kept. */
export async function hadPlayer(serviceId: number): Promise<boolean> {
  // An older node does not tell joins from status pings.
  const isPlayed = { OR: [{ joins: { gt: 0 } }, { joins: null, connections: { gt: 0 } }] };
  return (await db.metricSample.findFirst({ where: { serviceId, ...isPlayed }, select: { ts: true } })) !== null;
}

const s = table("GameService", "s");
const LISTED = statement({ ids: parameter<number[]>("int[]"), after: m.ts, until: m.ts }, ({ ids, after, until }) =>
  select(
    { serviceId: s.id, ...SUMS },
    `from ${s} join ${m} on ${m.serviceId} = ${s.id} and ${m.ts} > ${after} and ${m.ts} <= ${until}
    where ${s.id} = any(${ids}) group by ${s.id}`,
  ),
);

/** The totals of the last hour by service. Services without traffic are absent. */
export async function listRecentTraffic(
  ids: readonly number[],
  now: number = databaseNow().getTime(),
): Promise<ReadonlyMap<number, Record<Counter, number>>> {
  const rows = await query(LISTED, { ids: [...ids], after: new Date(now - HOUR), until: new Date(now) });
  return new Map(rows.map(({ serviceId, ...counted }) => [serviceId, counted]));
}
