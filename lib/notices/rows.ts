import { execute, query } from "@/lib/database/run-statement";
import { select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { SECOND } from "@/lib/format/time";
import { LONGEST_DELAY, NOTICE_KINDS, RECOVERED, SHARED } from "@/lib/notices/kinds";

// Events become rows: one for each channel, event and end of it. One statement does it for all accounts, and the mark of an event
// says what is still to be considered of it.

/** Rows that one statement makes, and events of which one statement takes the mark. */
const AT_ONCE = 2000;
/** A notice waits so long for others of its channel, in milliseconds. */
export const TOGETHER = 45 * SECOND;

const e = table("Event", "e");
const c = table("NoticeChannel", "c");
const a = table("Account", "a");
const t = table("NoticeSettings", "t");
const g = table("ServiceGrant", "g");
const s = table("GameService", "s");
const n = table("Notice", "n");

/** SQL: the row waits, and is in no message. */
export const IS_WAITING = `${n.state} = 'due' and ${n.messageId} is null`;
/** SQL: the channel may be sent to. */
const IS_ON = `${c.confirmedAt} is not null and ${c.offAt} is null`;
/** SQL: the account with the settings `t` gets notices of game services that others share with it. */
const TELLS_SHARED = `${t.rules} @> '${JSON.stringify({ [SHARED]: { on: true } })}'`;
/** SQL: the account with the settings `t`, if it has any, is told that it is over. */
const TELLS_ENDS = `coalesce(${t.rules} -> '${RECOVERED}' ->> 'on', 'true') <> 'false'`;

/** SQL: the service may be told to the account: it is its own, or shared with it and it chose so. */
export const isSharedWith = (serviceId: string, accountId: string) => `exists (
    select from ${s} where ${s.id} = ${serviceId} and (${s.accountId} = ${accountId} or exists (
      select from ${g} join ${t} on ${t.accountId} = ${g.accountId}
      where ${g.serviceId} = ${s.id} and ${g.accountId} = ${accountId} and ${TELLS_SHARED})))`;

/** SQL of the kinds, with the delay of an account that chose nothing. */
export const KINDS = `(values ${Object.entries(NOTICE_KINDS)
  .map(([kind, { subject, lasts, minutes }]) => `('${subject}', '${kind}', ${lasts}, ${minutes})`)
  .join(", ")}) as k (subject, kind, lasts, minutes)`;

/** SQL of the accounts that may get a notice of an event. */
const ACCOUNTS = `select ${e.accountId} as id union all select ${g.accountId} from ${g} join ${t} on ${t.accountId} = ${g.accountId}
  where ${e.subject} = 'service' and ${g.serviceId} = ${e.subjectId} and ${g.accountId} <> ${e.accountId} and ${TELLS_SHARED}`;

/** SQL: what an event is about, as its owner named it. */
const NAME = `case ${e.subject} when 'server' then (select label from servers where id = ${e.subjectId})
  when 'service' then (select name from game_services where id = ${e.subjectId})
  else (select name from access_tokens where id = ${e.subjectId}) end`;

/** SQL: what an account chose for a kind, if it makes sense. */
const chosen = (name: "on" | "minutes", type: "boolean" | "number", as: string) =>
  `case when jsonb_typeof(${t.rules} -> k.kind -> '${name}') = '${type}' then (${t.rules} -> k.kind ->> '${name}')::${as} end`;

/** SQL: an account is told of a kind. */
export const IS_CHOSEN = `coalesce(${chosen("on", "boolean", "boolean")}, true)`;

/**
 * SQL: from the events that nobody has considered to the channels that have no row of it, and get one at `due.at`
 * if it goes on. A moment is over as it begins.
 */
const MISSING = `from ${e}
    join ${KINDS} on k.subject = ${e.subject} and k.kind = ${e.kind}
    cross join lateral (${ACCOUNTS}) told
    join ${a} on ${a.id} = told.id and ${a.disabledAt} is null
    join ${c} on ${c.accountId} = ${a.id} and ${IS_ON}
    left join ${t} on ${t.accountId} = ${a.id}
    cross join lateral (select case when k.lasts
      then least(${LONGEST_DELAY}, greatest(0, coalesce(${chosen("minutes", "number", "numeric")}, k.minutes))) else 0 end as minutes,
      case when k.lasts then ${e.endedAt} else ${e.startedAt} end as over) chosen
    cross join lateral (select ${e.startedAt} + chosen.minutes * interval '1 min' as at) due
  where ${e.noticeDue} and ${IS_CHOSEN} and due.at <= coalesce(chosen.over, 'infinity')
    and not exists (select from ${n} where ${n.subjectId} = ${e.subjectId} and ${n.eventId} = ${e.id}
      and ${n.subject} = ${e.subject} and ${n.tells} = 'begin' and ${n.channelId} = ${c.id})`;

/** The columns of a new row. */
export const COLUMNS =
  "channel_id, account_id, subject, subject_id, event_id, tells, kind, name, started_at, ended_at, due_at, next_at";
const SOON = `now() + interval '${TOGETHER} ms'`;

// Of those that outlasted their delay.
const MAKE_BEGINS = statement({}, () => ({
  sql: `insert into notices (${COLUMNS})
    select ${c.id}, ${c.accountId}, ${e.subject}, ${e.subjectId}, ${e.id}, 'begin', ${e.kind}, coalesce(left(${NAME}, 200), ''),
      ${e.startedAt}, chosen.over, due.at, ${SOON} ${MISSING} and due.at <= now()
    limit ${AT_ONCE} on conflict do nothing`,
}));

// An event is considered when no channel may still be told its beginning. Its end is, if one was told that it goes on.
const TAKE_MARKS = statement({}, () => ({
  sql: `with open as (select ${e.subjectId} as of, ${e.id} as id ${MISSING}),
    considered as (
      select ${e.subjectId} as of, ${e.id} as id from ${e}
      where ${e.noticeDue} and (${e.subjectId}, ${e.id}) not in (select of, id from open)
      limit ${AT_ONCE} for update of e skip locked)
  update ${e} set notice_due = false, notice_end_due = exists (
      select from ${n} where ${n.subjectId} = ${e.subjectId} and ${n.eventId} = ${e.id} and ${n.subject} = ${e.subject}
        and ${n.tells} = 'begin' and ${n.endedAt} is null)
    from considered where ${e.subjectId} = considered.of and ${e.id} = considered.id`,
}));

// A beginning that waits becomes what is over. Who was told that it goes on, or may have been, is told its end. Rows are locked in
// the order of their ids, as wherever many are.
const MAKE_ENDS = statement({}, () => ({
  sql: `with over as (
      select ${e.subjectId} as of, ${e.id} as id, ${e.endedAt} as at from ${e}
      where ${e.noticeEndDue} and ${e.endedAt} is not null limit ${AT_ONCE} for update of e skip locked),
    considered as (update ${e} set notice_end_due = false from over where ${e.subjectId} = over.of and ${e.id} = over.id),
    begun as (
      select ${n.id} as id, over.at from ${n} join over on ${n.subjectId} = over.of and ${n.eventId} = over.id
      where ${n.tells} = 'begin' and ${n.endedAt} is null order by ${n.id} for update of n),
    ended as (
      update ${n} set ended_at = greatest(${n.startedAt}, begun.at) from begun where ${n.id} = begun.id returning n.*)
  insert into notices (${COLUMNS})
    select ${n.channelId}, ${n.accountId}, ${n.subject}, ${n.subjectId}, ${n.eventId}, 'end', ${n.kind}, ${n.name},
      ${n.startedAt}, ${n.endedAt}, now(), ${SOON}
    from ended n left join ${t} on ${t.accountId} = ${n.accountId}
    where (${n.state} = 'told' or ${n.state} = 'due' and ${n.messageId} is not null) and ${TELLS_ENDS}
    on conflict do nothing`,
}));

/** Makes rows of what has begun and ended. It may run twice at once, and may be cut off. True: there may be more. */
export async function makeRows(): Promise<boolean> {
  let most = 0;
  for (const statement of [MAKE_BEGINS, TAKE_MARKS, MAKE_ENDS]) {
    most = Math.max(most, await execute(statement, {}));
  }
  return most === AT_ONCE;
}

// What waits while its channel is held is not due.
const DUE = statement({}, () =>
  select(
    {
      due: new Expression<number>("count(*)::int"),
      oldest: new Expression<number>(`coalesce(greatest(0, date_part('epoch', now() - least(min(${n.nextAt}),
        (select min(due.at) ${MISSING} and due.at <= now()),
        (select min(${e.endedAt}) from ${e} where ${e.noticeEndDue})))), 0)::float8`),
    },
    `from ${n} join ${c} on ${c.id} = ${n.channelId} and (${c.heldUntil} is null or ${c.heldUntil} <= now())
      where ${IS_WAITING} and ${n.nextAt} <= now()`,
  ),
);

/** How many notices are due, and for how many seconds the oldest of them, or of what has no notice yet, has been. */
export async function measureDue(): Promise<{ due: number; oldest: number }> {
  return (await query(DUE, {}))[0] ?? { due: 0, oldest: 0 };
}
