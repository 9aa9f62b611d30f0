import {
  BEFORE,
  deleteAll,
  deleteEach,
  deleteOfOwner,
  deletion,
  deletionOfAll,
  deletionOfOwner,
  type GoesOn,
  MOST,
} from "@/lib/database/deletion";
import { table } from "@/lib/database/tables";
import { DAY } from "@/lib/time";

/** The most events of one server, and the most blind times, that are kept: the latest ones. */
export const MOST_KEPT = 10_000;

const s = table("Server", "s");
const e = table("ServerEvent", "e");
const b = table("BlindTime", "b");

const OLD = deletionOfAll(
  "server_events",
  BEFORE,
  (before) => `select e.ctid from ${e} where ${e.endedAt} < ${before}`,
);
const BEYOND = deletion(
  s,
  s.id,
  MOST,
  "delete from server_events",
  (most) => `select e.ctid from ${e} where ${e.serverId} = ${s.id} order by ${e.startedAt} desc offset ${most}`,
);
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
const OF_SERVER = deletionOfOwner(e, e.serverId, e.startedAt);

/** Deletes events and blind times that ended so many days before `now` (epoch ms), and those beyond the most. Answers how many. */
export async function deleteOldEvents(now: number, days: number, goesOn: GoesOn): Promise<number> {
  const before = new Date(now - days * DAY);
  return (
    (await deleteEach(OLD, before, goesOn)) +
    (await deleteAll(BEYOND, MOST_KEPT, goesOn)) +
    (await deleteEach(OLD_BLIND, before, goesOn)) +
    (await deleteEach(BLIND_BEYOND, MOST_KEPT, goesOn))
  );
}

/** Deletes all events of a server, before the server itself is deleted. */
export function deleteEventsOf(serverId: number): Promise<void> {
  return deleteOfOwner(OF_SERVER, serverId);
}
