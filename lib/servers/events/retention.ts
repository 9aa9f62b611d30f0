import { BEFORE, deleteOfOwner, deletion, deletionOfAll, type GoesOn, MOST } from "@/lib/database/deletion";
import { SERVER_EVENTS } from "@/lib/database/event-deletion";
import { table } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";

/** The most blind times that are kept: the latest ones. */
const MOST_BLIND_KEPT = 10_000;

const s = table("Server", "s");
const b = table("BlindTime", "b");
const u = table("UptimeSum", "u");
const m = table("MaintenanceTime", "m");

const deleteOldBlind = deletionOfAll(
  "blind_times",
  BEFORE,
  (before) => `select b.ctid from ${b} where ${b.endedAt} < ${before}`,
);
const deleteBlindBeyond = deletionOfAll(
  "blind_times",
  MOST,
  (most) => `select b.ctid from ${b} order by ${b.startedAt} desc offset ${most}`,
);
/** Sums of uptime are kept for so many days: five years. */
const SUMS_KEPT = 1827;
const deleteOldSums = deletion(
  s,
  BEFORE,
  "delete from uptime_sums",
  (before) =>
    `select u.ctid from ${u} where ${u.serverId} = ${s.id} and ${u.unit} in ('day', 'month') and ${u.startedAt} < ${before}`,
);
const deleteOldMaintenance = deletion(
  s,
  BEFORE,
  "delete from maintenance_times",
  (before) =>
    `select m.ctid from ${m} where ${m.serverId} = ${s.id} and ${m.startedAt} < ${before} and ${m.endedAt} < ${before}`,
);

/**
 * Deletes events, blind times and maintenance that ended so many days before `now` (epoch ms), those beyond the most, and old
 * sums of uptime. Answers how many.
 */
export async function deleteOldEvents(now: number, days: number, goesOn: GoesOn): Promise<number> {
  return (
    (await SERVER_EVENTS.deleteOld(now, days, goesOn)) +
    (await deleteOldBlind(new Date(now - days * DAY), goesOn)) +
    (await deleteBlindBeyond(MOST_BLIND_KEPT, goesOn)) +
    (await deleteOldMaintenance(new Date(now - days * DAY), goesOn)) +
    (await deleteOldSums(new Date(now - SUMS_KEPT * DAY), goesOn))
  );
}

/** Deletes all events of a server, before the server itself is deleted. */
export function deleteEventsOf(serverId: number): Promise<void> {
  return deleteOfOwner(SERVER_EVENTS.ofOwner, serverId);
}
