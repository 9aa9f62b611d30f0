import type { Account } from "@/lib/accounts/accounts";
import type { MetricRange, MetricSeries } from "@/lib/api/schemas";
import { db } from "@/lib/database/client";
import { InvalidInputError, NotFoundError } from "@/lib/failures";
import { getGameService, visibleTo } from "@/lib/game-services/game-services";
import { parseId } from "@/lib/http/ids";
import { JsonText } from "@/lib/http/json-text";
import { DAY, HOUR } from "@/lib/time";

/** How far back each range reaches, in milliseconds (spec 4, rule 6). */
const RANGES: Readonly<Record<MetricRange, number>> = { "1h": HOUR, "24h": DAY, "7d": 7 * DAY };
const DEFAULT_RANGE: MetricRange = "1h";

/** The `range` parameter, 1h when absent; null when it is repeated or has a value that is not allowed. */
function findRange(query: URLSearchParams): MetricRange | null {
  const [value = DEFAULT_RANGE, ...repeated] = query.getAll("range");
  return repeated.length === 0 && Object.hasOwn(RANGES, value) ? (value as MetricRange) : null;
}

/**
 * Every stored interval with `now − range < ts ≤ now`, by ts and then node. PostgreSQL writes the JSON: 40,000
 * intervals would hold up the event loop for a quarter of a second.
 * @throws NotFoundError when the account may not see the service, even if the range is wrong as well.
 * @throws InvalidInputError for a wrong range.
 */
export async function getMetrics(
  account: Account,
  serviceIdText: string,
  query: URLSearchParams,
): Promise<JsonText<MetricSeries>> {
  const range = findRange(query);
  if (range === null) {
    await getGameService(account, serviceIdText);
    throw new InvalidInputError(`Invalid range. Allowed values: ${Object.keys(RANGES).join(", ")}.`);
  }
  const serviceId = parseId(serviceIdText);
  const now = Date.now();
  const [row] = await db.$queryRaw<{ series: string }[]>`
    select array_to_json(array(select i from (
      select (extract(epoch from m.ts) * 1000)::bigint as ts, m.node_id, m.packets, m.bytes, m.dropped, m.connections,
        m.latency_ms
      from metric_samples m
      where m.service_id = s.id and m.ts > ${new Date(now - RANGES[range])} and m.ts <= ${new Date(now)}
      order by m.ts, m.node_id) i))::text as series
    from game_services s where s.id = ${serviceId} and ${visibleTo(account)}`;
  if (!row) throw new NotFoundError();
  return new JsonText(`{"range":"${range}","series":${row.series}}`);
}

/** One interval as one edge node counted it. Counters are whole numbers from 0 to 2^53 − 1. */
export type Interval = {
  serviceId: number;
  /** Epoch milliseconds at which the interval begins. */
  ts: number;
  nodeId: number;
  /** Everything that arrived, the dropped included. */
  packets: number;
  bytes: number;
  dropped: number;
  connections: number;
  /** Null when the edge did not measure it. */
  latencyMs: number | null;
};

/** Rows per statement: large enough to be fast, small enough to finish well within the statement timeout. */
const BATCH = 5_000;

/** Stores intervals in the order given, each once: one that is stored already stays as it is. */
export async function recordIntervals(intervals: readonly Interval[]): Promise<void> {
  for (let start = 0; start < intervals.length; start += BATCH) {
    await insert(intervals.slice(start, start + BATCH));
  }
}

/** When the latest stored interval of a service begins, in epoch milliseconds; null when none is stored. */
export async function findLatestInterval(serviceId: number): Promise<number | null> {
  const latest = await db.metricSample.findFirst({
    where: { serviceId },
    select: { ts: true },
    orderBy: { ts: "desc" },
  });
  return latest?.ts.getTime() ?? null;
}

async function insert(intervals: readonly Interval[]): Promise<void> {
  // An array as PostgreSQL writes it, in one text: Prisma takes as long over the elements of one as PostgreSQL does.
  const column = (name: keyof Interval) => `{${intervals.map((interval) => interval[name] ?? "null").join()}}`;
  await db.$executeRaw`
    insert into metric_samples (service_id, ts, node_id, packets, bytes, dropped, connections, latency_ms)
    select service_id, to_timestamp(ts / 1000.0), node_id, packets, bytes, dropped, connections, latency_ms
    from unnest(
      ${column("serviceId")}::int[], ${column("ts")}::bigint[], ${column("nodeId")}::int[],
      ${column("packets")}::bigint[], ${column("bytes")}::bigint[], ${column("dropped")}::bigint[],
      ${column("connections")}::bigint[], ${column("latencyMs")}::float8[]
    ) as i (service_id, ts, node_id, packets, bytes, dropped, connections, latency_ms)
    on conflict (service_id, ts, node_id) do nothing`;
}
