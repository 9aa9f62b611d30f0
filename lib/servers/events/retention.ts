import { BEFORE, deleteEach, deleteOfOwner, deletionOfAll, type GoesOn, MOST } from "@/lib/database/deletion";
import { SERVER_EVENTS } from "@/lib/database/event-deletion";
import { table } from "@/lib/database/tables";
import { DAY } from "@/lib/time";

/** The most blind times that are kept: the latest ones. */
const MOST_BLIND_KEPT = 10_000;

const b = table("BlindTime", "b");

const OLD_BLIND = deletionOfAll(
  "blind_times",
  BEFORE,
  (before) => `select b.ctid from ${b} where ${b.endedAt} < ${before}`,
);
const BLIND_BEYOND = deletionOfAll(
  "blind_times",
  MOST,
  (most) => `select b.ctid from ${b} order by ${b.startedAt} desc offset ${most}`,
);

/** Deletes events and blind times that ended so many days before `now` (epoch ms), and those beyond the most. Answers how many. */
export async function deleteOldEvents(now: number, days: number, goesOn: GoesOn): Promise<number> {
  return (
    (await SERVER_EVENTS.deleteOld(now, days, goesOn)) +
    (await deleteEach(OLD_BLIND, new Date(now - days * DAY), goesOn)) +
    (await deleteEach(BLIND_BEYOND, MOST_BLIND_KEPT, goesOn))
  );
}

/** Deletes all events of a server, before the server itself is deleted. */
export function deleteEventsOf(serverId: number): Promise<void> {
  return deleteOfOwner(SERVER_EVENTS.ofOwner, serverId);
}
