import { db } from "@/lib/database/client";
import type { Reported } from "@/lib/game-services/metrics";

const whole = (count: number | undefined) => (count === undefined ? null : BigInt(count));

/** One interval as one edge node counted it. */
export type Interval = Omit<Reported, "service_id" | "latency_ms"> & {
  serviceId: number;
  nodeId: number;
  latencyMs: number | null;
};
type Told = Pick<Interval, "serviceId" | "ts"> & Partial<Interval>;

/** Stores intervals as edge nodes report them, in which nothing else was counted. Never overwrites a stored one. */
export async function recordIntervals(intervals: readonly Told[]): Promise<void> {
  await db.metricSample.createMany({
    skipDuplicates: true,
    data: intervals.map(({ ts, packets, bytes, dropped, connections, joins, pings, answered, players, ...rest }) => ({
      nodeId: 1,
      ...rest,
      ts: new Date(ts),
      packets: BigInt(packets ?? 0),
      bytes: BigInt(bytes ?? 0),
      dropped: BigInt(dropped ?? 0),
      connections: BigInt(connections ?? 0),
      joins: whole(joins),
      pings: whole(pings),
      answered: whole(answered),
      players: whole(players),
    })),
  });
}
