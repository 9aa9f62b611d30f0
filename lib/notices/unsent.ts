import type { GoesOn } from "@/lib/database/deletion";
import { query } from "@/lib/database/run-statement";
import { epochMs, type Sql, select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";

// The bound of the outbox. Where more of an account waits than is kept, the oldest become one message for each channel.

/** The most messages of an account that wait, over all its channels. */
const MOST_WAITING = 10_000;
/** The most that one statement sums up. */
const AT_ONCE = 2000;
/** What their delivery says. */
const REASON = "Too many messages waited. Another one says how many were not sent.";

const d = table("NoticeDelivery", "d");
const n = table("Notice", "n");

const CROWDED = statement({}, () =>
  select(
    { accountId: d.accountId },
    `from ${d} where ${d.state} = 'due' group by ${d.accountId} having count(*) > ${MOST_WAITING} limit 1000`,
  ),
);

const IS_FREE = `${d.state} = 'due' and (${d.leasedUntil} is null or ${d.leasedUntil} <= now())`;
const factsOf = (count: string, from: string, to: string) =>
  `jsonb_build_object('unsent', jsonb_build_object('count', ${count}, 'from', ${from}, 'to', ${to}))`;

// Raw, because one statement ends the deliveries and writes the message that counts them. It skips what is being sent, and
// what a message that waits already counts is added to.
const SUM_UP = statement(
  { accountId: d.accountId },
  ({ accountId }): Sql<{ count: number }> => ({
    sql: `with places as (
        select ${d.id} as id, row_number() over (order by ${d.dueAt} desc, ${d.id}) as place
        from ${d} join ${n} on ${n.id} = ${d.noticeId}
        where ${d.accountId} = ${accountId} and ${d.state} = 'due' and ${n.kind} <> 'unsent'),
      old as (
        select ${d.id} as id, ${d.channelId} as channel_id, ${d.dueAt} as due_at from ${d}
        where ${d.id} in (select id from places where place > ${MOST_WAITING} order by place desc limit ${AT_ONCE})
          and ${IS_FREE} for update of d skip locked),
      gone as (
        update ${d} set state = 'dropped', reason = '${REASON}', leased_until = null, ended_at = now()
        from old where ${d.id} = old.id returning ${d.id}),
      counted as (
        select channel_id, count(*)::int as count, ${epochMs("min(due_at)")} as since, ${epochMs("max(due_at)")} as until
        from old group by channel_id),
      waiting as (
        select ${d.noticeId} as notice_id, ${d.channelId} as channel_id from ${d} join ${n} on ${n.id} = ${d.noticeId}
        where ${d.accountId} = ${accountId} and ${n.kind} = 'unsent' and ${IS_FREE} and ${d.content} is null
        for update of d skip locked),
      longer as (
        update ${n} set facts = ${factsOf(
          "(n.facts -> 'unsent' ->> 'count')::int + counted.count",
          "least((n.facts -> 'unsent' ->> 'from')::bigint, counted.since)",
          "greatest((n.facts -> 'unsent' ->> 'to')::bigint, counted.until)",
        )} from counted join (select distinct on (channel_id) * from waiting) one using (channel_id)
        where ${n.id} = one.notice_id returning counted.channel_id),
      new as (
        select gen_random_uuid() as id, counted.* from counted where channel_id not in (select channel_id from longer)),
      made as (
        insert into notices (id, account_id, kind, thread, facts)
        select id, ${accountId}, 'unsent', id, ${factsOf("count", "since", "until")} from new returning id),
      due as (
        insert into notice_deliveries (notice_id, channel_id, account_id, due_at, attempt_at)
        select made.id, new.channel_id, ${accountId}, now(), now() from made join new using (id))
    select count(*)::int as "count" from gone`,
  }),
);

/** Sums up what waits beyond the most, until `goesOn` says stop. Answers how many messages are not sent. */
export async function sumUpUnsent(goesOn: GoesOn): Promise<number> {
  let all = 0;
  for (const { accountId } of await query(CROWDED, {})) {
    for (let count = AT_ONCE; count === AT_ONCE && (await goesOn()); all += count) {
      count = (await query(SUM_UP, { accountId }))[0]?.count ?? 0;
    }
  }
  return all;
}
