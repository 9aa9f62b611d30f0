import { db } from "@/lib/database/client";

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
