import {
  BEFORE,
  deletion,
  deletionOfAll,
  deletionOfOwner,
  type GoesOn,
  MOST,
  type OwnersDeletion,
} from "@/lib/database/deletion";
import { type Column, type Table, table } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";

/** The most events of one server, token or game service that are kept: the latest ones. */
export const MOST_EVENTS_KEPT = 10_000;

type Events = Table<"TokenEvent"> | Table<"ServiceEvent">;

type EventDeletion = {
  /** Deletes events that ended so many days before `now` (epoch ms), and those beyond the most. Answers how many. */
  deleteOld(now: number, days: number, goesOn: GoesOn): Promise<number>;
  /** All events of one owner, in parts. */
  ofOwner: OwnersDeletion;
};

/** Declares how the events in the table `name`, with the alias `e`, are deleted. `ownerId` is their column. */
function eventDeletion(
  name: string,
  e: Events,
  ownerId: Column<number>,
  owner: Parameters<typeof deletion>[0],
): EventDeletion {
  const old = deletionOfAll(name, BEFORE, (before) => `select e.ctid from ${e} where ${e.endedAt} < ${before}`);
  const beyond = deletion(
    owner,
    MOST,
    `delete from ${name}`,
    (most) => `select e.ctid from ${e} where ${ownerId} = ${owner.id} order by ${e.startedAt} desc offset ${most}`,
  );
  return {
    deleteOld: async (now, days, goesOn) =>
      (await old(new Date(now - days * DAY), goesOn)) + (await beyond(MOST_EVENTS_KEPT, goesOn)),
    ofOwner: deletionOfOwner(e, ownerId, e.startedAt),
  };
}

const ofToken = table("TokenEvent", "e");
const ofService = table("ServiceEvent", "e");

export const TOKEN_EVENTS = eventDeletion("token_events", ofToken, ofToken.tokenId, table("AccessToken", "t"));
export const SERVICE_EVENTS = eventDeletion(
  "service_events",
  ofService,
  ofService.serviceId,
  table("GameService", "s"),
);
