import { BEFORE, deleteSomeOfOwner, deletion, deletionOfOwner, type GoesOn } from "@/lib/database/deletion";
import { SERVICE_EVENTS } from "@/lib/database/event-deletion";
import type { Transaction } from "@/lib/database/run-statement";
import { table } from "@/lib/database/tables";
import { DAY, HOUR } from "@/lib/format/time";

const s = table("GameService", "s");
const m = table("MetricSample", "m");

// Rows of days without a partition.
const deleteRest = deletion(
  s,
  BEFORE,
  "delete from metric_samples_default",
  (before) => `select m.ctid from metric_samples_default m where ${m.serviceId} = ${s.id} and ${m.ts} < ${before}`,
);

/** Deletes intervals that lie in no day of their own and ended more than `days` days before `now` (epoch ms). Answers how many. */
export function deleteOldIntervals(now: number, days: number, goesOn: GoesOn): Promise<number> {
  return deleteRest(new Date(Math.floor(now / DAY) * DAY - days * DAY), goesOn);
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
