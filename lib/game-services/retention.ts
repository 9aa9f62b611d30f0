import { BEFORE, deleteAll, deleteSomeOfOwner, deletion, deletionOfOwner, type GoesOn } from "@/lib/database/deletion";
import { SERVICE_EVENTS } from "@/lib/database/event-deletion";
import { dropDaysBefore, findEndBefore, partitionBefore } from "@/lib/database/partitions";
import type { Transaction } from "@/lib/database/run-statement";
import { table } from "@/lib/database/tables";
import { DAY, HOUR } from "@/lib/format/time";

const s = table("GameService", "s");
const m = table("MetricSample", "m");

// Rows of days without a partition.
const restIn = (partition: string) =>
  deletion(
    s,
    s.id,
    BEFORE,
    `delete from ${partition}`,
    (before) => `select m.ctid from ${partition} m where ${m.serviceId} = ${s.id} and ${m.ts} < ${before}`,
  );
const REST = restIn("metric_samples_default");

/** Deletes the intervals of all days that ended more than `days` days before `now` (epoch ms). */
export async function deleteOldIntervals(
  now: number,
  days: number,
  goesOn: GoesOn,
): Promise<{ interval_days: number; intervals: number }> {
  const until = Math.floor(now / DAY) * DAY - days * DAY;
  return {
    interval_days: await dropDaysBefore("metric_samples", until, goesOn),
    intervals: (await deleteAll(REST, new Date(until), goesOn)) + (await deleteBefore(until, goesOn)),
  };
}

const n = table("EdgeNode", "n");
const u = table("EdgeNodeMinute", "u");

const OLD_MINUTES = deletion(
  n,
  n.id,
  BEFORE,
  "delete from edge_node_minutes",
  (before) => `select u.ctid from ${u} where ${u.nodeId} = ${n.id} and ${u.ts} < ${before}`,
);
/** In milliseconds. A report adds to minutes of the last two hours alone. */
const MINUTES_KEPT = 3 * HOUR;

/** Deletes the sums of minutes of nodes that no report can add to (`edges/line.ts`). Returns their number. */
export function deleteOldNodeMinutes(now: number, goesOn: GoesOn): Promise<number> {
  return deleteAll(OLD_MINUTES, new Date(now - MINUTES_KEPT), goesOn);
}

/** Declared when it is needed: most databases have no such partition. */
let restBefore: ReturnType<typeof restIn> | undefined;

/** Deletes old intervals of the partition before the days. */
async function deleteBefore(until: number, goesOn: GoesOn): Promise<number> {
  if ((await findEndBefore("metric_samples")) === null) return 0;
  restBefore ??= restIn(partitionBefore("metric_samples"));
  return deleteAll(restBefore, new Date(until), goesOn);
}

const OF_SERVICE = deletionOfOwner(m, m.serviceId, m.ts);

/** Deletes some intervals, or then some events, of a service that is about to be deleted. False: there are more. */
export async function deleteSomeRows(tx: Transaction, serviceId: number): Promise<boolean> {
  return (
    (await deleteSomeOfOwner(tx, OF_SERVICE, serviceId)) &&
    (await deleteSomeOfOwner(tx, SERVICE_EVENTS.ofOwner, serviceId))
  );
}
