import { execute, query } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { EVENTS_AT_ONCE, IS_ON, IS_TOLD, ids, PASS_ON } from "@/lib/notices/planning-statements";
import { CONSIDERED, ofEach } from "@/lib/notices/sources";

// What each look asks of all accounts at once: whose notices are to be planned.

/** Accounts of one look, after which what is due is sent. The next look takes the others. */
export const ACCOUNTS_AT_ONCE = 20;

const c = table("NoticeChannel", "c");
const i = table("NoticeIncident", "i");
const m = table("SharedServiceEvent", "m");
const int = parameter<number>("int");

/**
 * SQL of the accounts that were told of what has ended, for all of them at once. Told beginnings and events that go on
 * are each read once and put together by what they are about, since a look-up for each takes a second for ten thousand. A
 * look-up of those that are over follows: of a game service several accounts may be told.
 */
const TOLD_AND_OVER = `select ${i.accountId} from (
    select subject, subject_id, kind, coalesce(max(goes_on), '-infinity') as goes_on from (
      select ${i.subject}, ${i.subjectId}, ${i.kind}, ${i.startedAt} as told, null as goes_on from ${i} where ${IS_TOLD}
      union all ${ofEach(
        " union all ",
        ({ e, of, is }, subject) => `select '${subject}', ${of}, ${e.kind}, null, ${e.startedAt} from ${e}
        where ${e.endedAt} is null and ${is} and ${e.kind} in (${CONSIDERED}) and exists (select from ${i} where ${IS_TOLD})`,
      )}) one
    group by subject, subject_id, kind having max(told) > coalesce(max(goes_on), '-infinity')) ended
  join ${i} on ${i.subject} = ended.subject and ${i.subjectId} = ended.subject_id and ${i.kind} = ended.kind
    and ${i.startedAt} > ended.goes_on and ${IS_TOLD}`;

// Raw, because each part takes an index that holds little else.
const WORK = statement({ most: int, except: ids }, ({ most, except }) =>
  select(
    { accountId: new Expression<number>("w.account_id") },
    `from (
      ${ofEach(
        " union ",
        ({
          e,
          of,
          o,
          is,
        }) => `(select ${o.accountId} from ${e} join ${o} on ${o.id} = ${of} where ${e.noticeDue} and ${is}
        and ${o.accountId} <> all(${except}) limit ${EVENTS_AT_ONCE})`,
      )}
      union (select ${m.accountId} from ${m} where ${m.accountId} <> all(${except}) limit ${EVENTS_AT_ONCE})
      union (select ${i.accountId} from ${i} where ${i.lookAt} <= now() and ${i.accountId} <> all(${except}) limit ${EVENTS_AT_ONCE})
      union (${TOLD_AND_OVER} and ${i.accountId} <> all(${except}) limit ${EVENTS_AT_ONCE})
    ) w order by random() limit ${most}`,
  ),
);

// Raw, because one statement takes the marks of all accounts that nobody tells anything.
const DISREGARD = statement({}, () => ({
  sql: `with ${ofEach(
    ", ",
    ({ e, name, of, o, is }, subject) => `of_${subject} as (
      update ${name} as e set notice_due = false where ${e.id} = any(array(
        select ${e.id} from ${e} join ${o} on ${o.id} = ${of} where ${e.noticeDue} and ${is} and not exists (
          select from ${c} where ${c.accountId} = ${o.accountId} and ${IS_ON}) limit ${EVENTS_AT_ONCE} for update of e skip locked))
      returning ${e.id}, ${of}, ${e.kind})`,
  )} ${PASS_ON}`,
}));

/**
 * Takes the marks of events whose owners have no channel: they are told of what begins later. Who they are shared with has
 * them to consider then.
 */
export async function disregardUntold(): Promise<void> {
  await execute(DISREGARD, {});
}

/** Accounts with new events, or with something that may have to be told now, without those that are set aside. */
export async function findAccountsWithWork(except: readonly number[] = []): Promise<number[]> {
  const found = await query(WORK, { most: ACCOUNTS_AT_ONCE, except });
  return found.map(({ accountId }) => accountId);
}
