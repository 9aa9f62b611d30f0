import { execute } from "@/lib/database/run-statement";
import { parameter, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";
import type { TokenEventKind } from "./kinds";

/** A network is news for this long, unless the owner says before that it was them. */
const NEWS_FOR = 7 * DAY;
/** The ends that are told ahead, in days. */
const AHEAD = { ends_in_14_days: 14, ends_in_3_days: 3 } as const satisfies Partial<Record<TokenEventKind, number>>;

const t = table("AccessToken", "t");
const other = table("AccessToken", "other");
const e = table("Event", "e");
const now = parameter<Date>("timestamptz");

// Raw: one look at the ends of the next days by their index. A token that lives for less has no such event: its end was chosen
// then. A token that is being replaced is to end.
const AHEAD_OF_ENDS = statement({ now }, ({ now }) => ({
  sql: `insert into events (subject, subject_id, account_id, kind, started_at, ended_at)
    select 'token', ${t.id}, ${t.accountId}, ahead.kind, ${t.expiresAt} - ahead.days, ${t.expiresAt} - ahead.days from ${t}
    join (values ${Object.entries(AHEAD)
      .map(([kind, days]) => `('${kind}', interval '${24 * days} h')`)
      .join(", ")}) as ahead (kind, days)
      on ${t.expiresAt} - ahead.days <= ${now} and ${t.createdAt} < ${t.expiresAt} - ahead.days
    where ${t.expiresAt} > ${now} and ${t.expiresAt} <= ${now} + interval '${24 * AHEAD.ends_in_14_days} h'
      and ${t.revokedAt} is null and not exists (select from ${other} where ${other.id} = ${t.replacedById}
        and ${other.revokedAt} is null and (${other.expiresAt} is null or ${other.expiresAt} > ${now}))
      and not exists (select from ${e} where ${e.subjectId} = ${t.id} and ${e.subject} = 'token' and ${e.kind} = ahead.kind
        and ${e.startedAt} = ${t.expiresAt} - ahead.days)
    order by ${t.id}
    on conflict do nothing`,
}));

const NO_LONGER_NEWS = statement({ before: e.startedAt }, ({ before }) => ({
  sql: `update ${e} set ${e.endedAt.name} = ${e.startedAt} + interval '${NEWS_FOR} ms'
    where ${e.endedAt} is null and ${e.subject} = 'token' and ${e.startedAt} <= ${before}`,
}));

/** Writes the events of tokens that follow from the date alone, as it is at `now` (epoch ms). May be run twice at once. */
export async function watchTokens(now: number): Promise<void> {
  await execute(AHEAD_OF_ENDS, { now: new Date(now) });
  await execute(NO_LONGER_NEWS, { before: new Date(now - NEWS_FOR) });
}
