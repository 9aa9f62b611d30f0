import { db } from "@/lib/database/client";
import type { Interval } from "@/lib/game-services/metrics";

const whole = (count: number | undefined) => (count === undefined ? null : BigInt(count));

/** Stores intervals as edge nodes report them. Never overwrites a stored one. */
export async function recordIntervals(intervals: readonly Interval[]): Promise<void> {
  await db.metricSample.createMany({
    skipDuplicates: true,
    data: intervals.map(({ ts, packets, bytes, dropped, connections, joins, pings, answered, players, ...rest }) => ({
      ...rest,
      ts: new Date(ts),
      packets: BigInt(packets),
      bytes: BigInt(bytes),
      dropped: BigInt(dropped),
      connections: BigInt(connections),
      joins: whole(joins),
      pings: whole(pings),
      answered: whole(answered),
      players: whole(players),
    })),
  });
}
