import { BEFORE, deletion, type GoesOn } from "@/lib/database/deletion";
import { table } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";
import { MAX_ENDED_SHOWN } from "@/lib/tokens/management";
import { HOURS_KEPT } from "@/lib/tokens/use";

const a = table("Account", "a");
const t = table("AccessToken", "t");
const h = table("TokenUseHour", "h");
const e = table("TokenEvent", "e");

// Keeps tokens for at least a day, because the creation quota and the one-use numbers of forms count rows.
const endedBefore = (before: string) => `(
    select t.ctid as place, ${t.id} as id, coalesce(${t.revokedAt}, ${t.expiresAt}) as at, ${t.createdAt} as created_at,
      row_number() over (order by coalesce(${t.revokedAt}, ${t.expiresAt}) desc, ${t.id} desc) as rank
    from ${t} where ${t.accountId} = ${a.id} and (${t.revokedAt} is not null or ${t.expiresAt} <= now())) ended
  where (ended.at < ${before} or ended.rank > ${MAX_ENDED_SHOWN}) and ended.created_at < now() - interval '1 day'`;
const deleteEnded = deletion(
  a,
  BEFORE,
  "delete from access_tokens",
  (before) => `select ended.place from ${endedBefore(before)}`,
);
// Before their tokens, so that no statement deletes the events of many.
const deleteEventsOfEnded = deletion(
  a,
  BEFORE,
  "delete from token_events",
  (before) => `select e.ctid from ${e} where ${e.tokenId} in (select ended.id from ${endedBefore(before)})`,
);

const deleteHours = deletion(
  t,
  BEFORE,
  "delete from token_use_hours",
  (before) => `select h.ctid from ${h} where ${h.tokenId} = ${t.id} and ${h.hour} < ${before}`,
);

/**
 * Deletes tokens that ended more than `days` days before `now` (epoch ms), and ended tokens that no longer fit on the
 * token page. Deleted tokens are then unknown, like any other text. Returns how many it deleted.
 */
export async function deleteEndedTokens(now: number, days: number, goesOn: GoesOn): Promise<number> {
  const before = new Date(now - days * DAY);
  await deleteEventsOfEnded(before, goesOn);
  return deleteEnded(before, goesOn);
}

/** Deletes the counts of hours that no page shows any more. Returns how many hours it deleted. */
export function deleteOldUse(now: number, goesOn: GoesOn): Promise<number> {
  return deleteHours(new Date(now - HOURS_KEPT), goesOn);
}
