import { BEFORE, deleteSomeOfOwner, deletion, deletionOfOwner, type GoesOn } from "@/lib/database/deletion";
import { SERVICE_EVENTS } from "@/lib/database/event-deletion";
import { deletionOutsideDays, dropDaysBefore } from "@/lib/database/partitions";
import type { Transaction } from "@/lib/database/run-statement";
import { table } from "@/lib/database/tables";
import { DAY, HOUR } from "@/lib/format/time";

const s = table("GameService", "s");
const m = table("MetricSample", "m");

// Rows of days without a partition.
const deleteRest = deletionOutsideDays("metric_samples", (partition) =>
  deletion(
    s,
    BEFORE,
    `delete from ${partition}`,
    (before) => `select m.ctid from ${partition} m where ${m.serviceId} = ${s.id} and ${m.ts} < ${before}`,
  ),
);

/** Deletes the intervals of all days that ended more than `days` days before `now` (epoch ms). */
export async function deleteOldIntervals(
  now: number,
  days: number,
  goesOn: GoesOn,
): Promise<{ interval_days: number; intervals: number }> {
  const until = Math.floor(now / DAY) * DAY - days * DAY;
  return {
    interval_days: await dropDaysBefore("metric_samples", until, goesOn),
    intervals: await deleteRest(new Date(until), goesOn),
  };
}

const n = table("EdgeNode", "n");
const u = table("EdgeNodeMinute", "u");

const deleteMinutes = deletion(
  n,
  BEFORE,
  "delete from edge_node_minutes",
  (before) => `select u.ctid from ${u} where ${u.nodeId} = ${n.id} and ${u.ts} < ${before}`,
);
/** In milliseconds. A report adds to minutes of the last two hours alone. */
const MINUTES_KEPT = 3 * HOUR;

/** Deletes the sums of minutes of nodes that no report can add to (`edges/line.ts`). Returns their number. */
export function deleteOldNodeMinutes(now: number, goesOn: GoesOn): Promise<number> {
  return deleteMinutes(new Date(now - MINUTES_KEPT), goesOn);
}

const OF_SERVICE = deletionOfOwner(m, m.serviceId, m.ts);

/** Deletes some intervals, or then some events, of a service that is about to be deleted. False: there are more. */
export async function deleteSomeRows(tx: Transaction, serviceId: number): Promise<boolean> {
  return (
    (await deleteSomeOfOwner(tx, OF_SERVICE, serviceId)) &&
    (await deleteSomeOfOwner(tx, SERVICE_EVENTS.ofOwner, serviceId))
  );
}
