import { StacklessError } from "@/lib/failures";
import { MINUTE, SECOND } from "@/lib/format/time";
import { COUNTERS, type Counter } from "@/lib/game-services/counters";
import { env } from "@/lib/process/env";

/** The bytes that the smallest Ethernet frame takes on a line, its preamble and the gap behind it included. */
const SMALLEST_FRAME = 84;
/** A TCP connection opens with three packets. */
const PACKETS_TO_OPEN = 3;

/** The most that a line of so many Gbit/s carries in a minute, both directions together. */
function lineCapacity(gbit: number): Record<Counter, number> {
  const bytes = (2 * gbit * 1e9 * (MINUTE / SECOND)) / 8;
  const packets = Math.floor(bytes / SMALLEST_FRAME);
  return { bytes, packets, dropped: packets, connections: Math.floor(packets / PACKETS_TO_OPEN) };
}

/** What an edge node can count in a minute, over all services. */
export const CAPACITY: Readonly<Record<Counter, number>> = lineCapacity(env.edgeLineGbit);

/** A node's counters of one minute, of any number of services. `ts` is when the minute begins, in epoch milliseconds. */
export type MinuteCounters = { ts: number } & Record<Counter, number>;

/** A counter of a minute that is more than the line of a node carries. */
export type Excess = { ts: number; counter: Counter; total: number };

/** Finds the first counter that is more than the line carries. Adds up rows of the same minute. Null: there is none. */
export function findExcess(rows: readonly MinuteCounters[]): Excess | null {
  const sums = new Map<number, Record<Counter, number>>();
  for (const row of rows) {
    const sum = sums.get(row.ts) ?? { packets: 0, bytes: 0, dropped: 0, connections: 0 };
    sums.set(row.ts, sum);
    for (const counter of COUNTERS) {
      sum[counter] += row[counter];
      if (sum[counter] > CAPACITY[counter]) return { ts: row.ts, counter, total: sum[counter] };
    }
  }
  return null;
}

/** Thrown when a report would bring a minute of its node over the capacity of the line. Nothing of it is stored. */
export class OverLineError extends StacklessError {
  override name = "OverLineError";
  constructor(readonly excess: Excess) {
    super(`${excess.counter}: ${excess.total}`);
  }
}
