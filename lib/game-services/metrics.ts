import type { Account } from "@/lib/accounts/accounts";
import type { MetricSeries } from "@/lib/api/schemas";
import { databaseNow } from "@/lib/database/clock";
import { query, queryIn, type Transaction } from "@/lib/database/run-statement";
import {
  type JsonMembersOf,
  jsonMembers,
  names,
  orNull,
  parameter,
  type Sql,
  select,
  statement,
} from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { findExcess, type MinuteCounters, OverLineError } from "@/lib/game-services/edges/line";
import { getGameService } from "@/lib/game-services/game-services";
import { requireWindow } from "@/lib/game-services/metrics-query";
import { JsonText } from "@/lib/http/json-text";

const s = table("GameService", "s");
const m = table("MetricSample", "m");
const k = table("EdgeAcknowledgement", "k");
const n = table("EdgeNode", "n");
const u = table("EdgeNodeMinute", "u");

/** One interval as the contract has it (contract 2.6). */
export const INTERVAL = {
  ts: m.ts,
  node_id: m.nodeId,
  packets: m.packets,
  bytes: m.bytes,
  dropped: m.dropped,
  connections: m.connections,
  latency_ms: m.latencyMs,
};

/** The start of the eight-hour bucket of an interval. */
const EIGHT_HOURS = `date_bin('8 hours', ${m.ts}, 'epoch')`;
const INTERVALS = jsonMembers({ ...INTERVAL, latency_ms: orNull(m.latencyMs) }, `${m.ts}, ${m.nodeId}`);
const intervals = new Expression<(typeof INTERVALS)["value"]>(INTERVALS.sql);

// PostgreSQL writes the JSON, because serializing 40,000 intervals would block the event loop for a quarter of a second.
// Each row covers eight hours. One text of megabytes would block the event loop for 30 ms when it arrives. Texts below
// 128 KB would block it for longer, because V8 moves them during garbage collection.
const SERIES = statement({ id: m.serviceId, after: m.ts, until: m.ts }, ({ id, after, until }) =>
  select(
    { intervals },
    `from ${m} where ${m.serviceId} = ${id} and ${m.ts} > ${after} and ${m.ts} <= ${until}
    group by ${EIGHT_HOURS} order by ${EIGHT_HOURS}`,
  ),
);

/** Throws the same errors as `getMetrics`, without reading intervals. */
export async function checkMetrics(account: Account, serviceIdText: string, query: URLSearchParams): Promise<void> {
  await getGameService(account, serviceIdText);
  requireWindow(query, databaseNow().getTime());
}

/**
 * Every stored interval with `now − range < ts ≤ now` and `ts > since`, by ts and then node.
 * @throws NotFoundError when the account may not see the service, even if the query is wrong as well.
 * @throws InvalidInputError for a wrong range or since.
 */
export async function getMetrics(
  account: Account,
  serviceIdText: string,
  parameters: URLSearchParams,
): Promise<JsonText<MetricSeries>> {
  const { id } = await getGameService(account, serviceIdText);
  const { range, ...times } = requireWindow(parameters, databaseNow().getTime());
  const rows = await query(SERIES, { id, ...times });
  const series: JsonMembersOf<MetricSeries["series"][number]>[] = rows.map((row) => row.intervals);
  // Keeps the parts separate, because joining would copy them. Drops only the leading comma of the first.
  const [first = "", ...further] = series;
  return new JsonText([`{"range":"${range}","series":[`, first.slice(1), ...further, "]}"]);
}

/** One interval as an edge node reports it. Counters are whole numbers from 0 to 2^53 − 1; `MEANINGS` says what each means. */
export type Reported = MinuteCounters & {
  service_id: number;
  /** Null when the edge did not measure it. */
  latency_ms: number | null;
  /** Connections to the origin that asked to play, and for the status. An older edge says none of these four. */
  joins?: number | undefined;
  pings?: number | undefined;
  /** Status pings that the edge answered itself. */
  answered?: number | undefined;
  /** Who played at the end of the interval. */
  players?: number | undefined;
};

type Name = keyof Reported;

/** What a node reports of an interval, and the type of each in a list. */
const REPORTED = {
  service_id: "int",
  ts: "bigint",
  packets: "bigint",
  bytes: "bigint",
  dropped: "bigint",
  connections: "bigint",
  latency_ms: "float8",
  joins: "bigint",
  pings: "bigint",
  answered: "bigint",
  players: "bigint",
} as const satisfies Record<Name, string>;
const NAMES = Object.keys(REPORTED) as Name[];
const COLUMNS = NAMES.join(", ");
/** PostgreSQL arrays as one text parameter each. Sending their elements separately would take longer than storing them. */
const LISTS = Object.fromEntries(NAMES.map((name) => [name, parameter<string>(`${REPORTED[name]}[]`)])) as Record<
  Name,
  Expression<string>
>;

/** The values of intervals, each as one list. */
function listsOf(intervals: readonly Reported[]): Record<Name, string> {
  const values = NAMES.map((name) => [name, `{${intervals.map((interval) => interval[name] ?? "null").join()}}`]);
  return Object.fromEntries(values);
}

// Raw: one statement checks, stores and adds up. It locks the node and the services, so that they cannot be deleted
// meanwhile. `minutes` adds up new rows alone, so that a report that is delivered twice counts once.
const STORE_REPORTED = statement(
  { nodeId: m.nodeId, ...LISTS },
  ({ nodeId, ...values }): Sql<{ stored: number; dropped: number; minutes: MinuteCounters[] }> => ({
    sql: `with i as (
        select * from unnest(${NAMES.map((name) => values[name]).join(", ")}) as i (${COLUMNS})),
      node as (select ${n.id} from ${n} where ${n.id} = ${nodeId} for key share),
      known as (
        select ${s.id} from node join ${k} on ${k.nodeId} = node.id join ${s} on ${s.id} = ${k.serviceId}
        where ${s.id} in (select service_id from i) order by ${s.id} for key share of s),
      added as (
        insert into metric_samples (node_id, ${COLUMNS})
        select ${nodeId}, ${NAMES.map((name) => (name === "ts" ? "to_timestamp(i.ts / 1000.0)" : `i.${name}`)).join(", ")}
        from i join known on known.id = i.service_id
        on conflict (${names(m.serviceId, m.ts, m.nodeId)}) do nothing returning *),
      minutes as (
        insert into edge_node_minutes as u (node_id, ts, packets, bytes, dropped, connections)
        select node_id, ts, sum(packets), sum(bytes), sum(dropped), sum(connections)
        from added group by node_id, ts order by ts
        on conflict (${names(u.nodeId, u.ts)}) do update set packets = ${u.packets} + excluded.packets,
          bytes = ${u.bytes} + excluded.bytes, dropped = ${u.dropped} + excluded.dropped,
          connections = ${u.connections} + excluded.connections
        returning *)
      select (select count(*)::int from added) as "stored",
        (select count(*)::int from i where i.service_id not in (select id from known)) as "dropped",
        (select coalesce(json_agg(json_build_object('ts', floor(extract(epoch from ts) * 1000), 'packets', packets,
            'bytes', bytes, 'dropped', dropped, 'connections', connections)), '[]') from minutes) as "minutes"`,
  }),
);

/**
 * Stores the intervals of a node, each once. Drops and counts intervals of deleted services and of services that the node
 * never acknowledged.
 * @throws OverLineError when a minute has more now than the node's line carries. The transaction must not be committed then.
 */
export async function recordReportedIntervals(
  tx: Transaction,
  nodeId: number,
  intervals: readonly Reported[],
): Promise<{ stored: number; dropped: number }> {
  if (intervals.length === 0) return { stored: 0, dropped: 0 };
  const [counts] = await queryIn(tx, STORE_REPORTED, { ...listsOf(intervals), nodeId });
  const excess = findExcess(counts?.minutes ?? []);
  if (excess !== null) throw new OverLineError(excess);
  return { stored: counts?.stored ?? 0, dropped: counts?.dropped ?? 0 };
}
