import { BEFORE, deletion, deletionOfAll, type GoesOn, MOST } from "@/lib/database/deletion";
import { table } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";
import { sumUpUnsent } from "@/lib/notices/unsent";

/** How long messages, what became of them, and what they were about are kept, in days. */
const KEPT_DAYS = 30;
/** The most messages of an account that are kept: the latest ones, and those that wait. */
const MOST_NOTICES = 10_000;
/** The most incidents of an account that are kept: the latest ones. */
const MOST_INCIDENTS = 50_000;
/** Confirmation mails are counted for a day. */
const CONFIRMATIONS_DAYS = 2;

const a = table("Account", "a");
const n = table("Notice", "n");
const i = table("NoticeIncident", "i");
const f = table("NoticeConfirmation", "f");
const z = table("ServerSnooze", "z");

// Deliveries go with their message.
const deleteOld = deletionOfAll(
  "notices",
  BEFORE,
  (before) => `select n.ctid from ${n} where ${n.createdAt} < ${before}`,
);
const deleteBeyond = deletion(
  a,
  MOST,
  "delete from notices",
  (most) => `select old.place from (
      select n.ctid as place, ${n.id} as id from ${n} where ${n.accountId} = ${a.id} order by ${n.createdAt} desc offset ${most}) old
    where not exists (select from notice_deliveries d where d.notice_id = old.id and d.state = 'due')`,
);
const deleteOldIncidents = deletion(
  a,
  BEFORE,
  "delete from notice_incidents",
  (before) =>
    `select i.ctid from ${i} where ${i.accountId} = ${a.id} and ${i.toldAt} < ${before} and ${i.lookAt} is null`,
);
const deleteIncidentsBeyond = deletion(
  a,
  MOST,
  "delete from notice_incidents",
  (most) =>
    `select i.ctid from ${i} where ${i.accountId} = ${a.id} order by ${i.toldAt} desc nulls first offset ${most}`,
);
const deleteOldConfirmations = deletionOfAll(
  "notice_confirmations",
  BEFORE,
  (before) => `select f.ctid from ${f} where ${f.sentAt} < ${before}`,
);
const deleteOverSnoozes = deletionOfAll(
  "server_snoozes",
  BEFORE,
  (before) => `select z.ctid from ${z} where ${z.until} < ${before} or ${z.until} is null and ${z.createdAt} < ${before}
    and not exists (select from notice_incidents i where i.subject = 'server' and i.subject_id = ${z.serverId} and i.look_at is not null)`,
);

/**
 * Deletes what is older than it is kept at `now` (epoch ms), and what is beyond the most. Of what waits beyond the most one
 * message tells. Answers how many were deleted.
 */
export async function deleteOldNotices(now: number, goesOn: GoesOn): Promise<number> {
  const before = new Date(now - KEPT_DAYS * DAY);
  await sumUpUnsent(goesOn);
  return (
    (await deleteOld(before, goesOn)) +
    (await deleteBeyond(MOST_NOTICES, goesOn)) +
    (await deleteOldIncidents(before, goesOn)) +
    (await deleteIncidentsBeyond(MOST_INCIDENTS, goesOn)) +
    (await deleteOldConfirmations(new Date(now - CONFIRMATIONS_DAYS * DAY), goesOn)) +
    (await deleteOverSnoozes(new Date(now), goesOn))
  );
}
