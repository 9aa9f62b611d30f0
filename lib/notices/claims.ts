import { type Ask, execute, query } from "@/lib/database/run-statement";
import { epochMs, parameter, type Sql, select, statement } from "@/lib/database/statement";
import { Expression, optional, table } from "@/lib/database/tables";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { CHANNEL_OFF, type Subject } from "@/lib/notices/kinds";
import type { Message } from "@/lib/notices/message";
import { isSharedWith, oldestWithoutRows, TOGETHER } from "@/lib/notices/rows";

// The statements with which an instance takes a channel, reads what is so, and writes what became of it. Times are those of the
// database, since clocks of instances may be set. Many rows are locked in the order of their ids.

/** An instance that dies while it sends blocks a channel for this long. Longer than any attempt may take. */
export const LEASE = 60 * SECOND;
/** Channels of one account at a time: a receiver that hangs delays no other account. */
const OF_ACCOUNT = 2;
/** Channels whose attempts have all failed for so long are turned off. */
const OFF_AFTER = DAY;
/** Messages of a channel within an hour. */
const MOST_AN_HOUR = 20;
/** Beginnings of one subject and kind within an hour. */
const OFTEN = 3;
/** Maintenance may be called off: what waits for its end is looked at again after this, in milliseconds. */
const MAINTENANCE_LOOKS = 10 * MINUTE;
/** Rows of one message. */
const MOST_ROWS = 10_000;
/** Waits between attempts, in seconds; after the last one a notice has failed. */
const WAITS = [10, 60, 600, 3600, 21_600];
const ATTEMPTS = WAITS.length + 1;
const MAX_REASON = 500;

const n = table("Notice", "n");
const m = table("NoticeMessage", "m");
const c = table("NoticeChannel", "c");
const a = table("Account", "a");
const t = optional("NoticeSettings", "t");

const int = parameter<number>("int");
const uuid = parameter<string>("uuid");
const ids = parameter<readonly number[]>("int[]");
const ms = parameter<number>("float8");
const words = parameter<string | null>("text");
const later = (wait: string) => `now() + ${wait} * interval '1 ms'`;
/** SQL of the wait after so many attempts. Waits differ a little, so that what failed together does not come back together. */
const waitAfter = (attempts: string) => `(array[${WAITS}])[${attempts}] * (1 + random() * 0.05) * interval '1 s'`;
const IS_WAITING = `${n.state} = 'due' and ${n.messageId} is null`;
const IS_FREE = `(${c.leasedUntil} is null or ${c.leasedUntil} <= now()) and (${c.heldUntil} is null or ${c.heldUntil} <= now())`;

/** A channel that this instance has claimed. `claim` also says that it is still the last one. */
export type Claim = { id: number; claim: number; isMail: boolean };

// Raw, because of "skip locked". Accounts take turns: the first channel of each, then the second.
const CLAIM = statement(
  { most: int, mails: int, keys: parameter<readonly string[]>("text[]") },
  ({ most, mails, keys }): Sql<Claim> => ({
    sql: `with work as (
        select ${n.channelId} as id, min(${n.nextAt}) as at from ${n} where ${IS_WAITING} and ${n.nextAt} <= now() group by 1
        union all select ${m.channelId}, min(${m.nextAt}) from ${m} where ${m.state} = 'due' and ${m.nextAt} <= now() group by 1),
      free as (
        select ${c.id} as id, ${c.accountId} as account_id, ${c.kind} = 'mail' as is_mail, min(work.at) as at
        from work join ${c} on ${c.id} = work.id
        where ${IS_FREE} and (${c.sealed} is null or split_part(${c.sealed}, '.', 2) = any(${keys})) group by ${c.id}),
      turns as (
        select *, row_number() over (partition by account_id order by at, id) + (
          select count(*) from ${c} where ${c.accountId} = free.account_id and ${c.leasedUntil} > now()) as turn from free),
      places as (
        select *, row_number() over (partition by is_mail order by turn, at) as place from turns where turn <= ${OF_ACCOUNT}),
      next as (
        select ${c.id} as id from ${c} join places on places.id = ${c.id}
        where (not is_mail or place <= ${mails}) and ${IS_FREE} order by turn, at limit ${most} for update of c skip locked)
    update ${c} set leased_until = ${later(String(LEASE))}, claim = ${c.claim} + 1 from next where ${c.id} = next.id
    returning ${c.id} as "id", ${c.claim} as "claim", ${c.kind} = 'mail' as "isMail"`,
  }),
);

/** Claims channels with something to send, `most` at most, of them `mails` of mail: those that `keys`, by their ids, open. */
export function claimChannels(most: number, mails: number, keys: readonly string[]): Promise<Claim[]> {
  return query(CLAIM, { most, mails, keys });
}

const CLAIMED = { id: int, claim: int };
/** SQL: the claim is still the last one. */
const isClaimed = ({ id, claim }: { id: string; claim: string }) =>
  `${c.id} = ${id} and ${c.claim} = ${claim} and ${c.leasedUntil} > now()`;

/** A message that may have arrived, and is sent again as it was. */
type Repeat = { id: string; attempts: number; content: Message };

// What was delivered within an hour decides when the next message may be: the one before the last, and the last of the most.
const CHANNEL = statement(CLAIMED, (claimed) =>
  select(
    {
      ...{ id: c.id, accountId: c.accountId, kind: c.kind, sealed: c.sealed, email: c.email },
      ...{ heldFor: c.heldFor, zone: a.timeZone, now: new Expression<Date>("now()", "instant") },
      ...{ rules: t.rules, quietFrom: t.quietFrom, quietTo: t.quietTo, quietZone: t.quietZone },
      hindrance: new Expression<string | null>(`case when ${a.disabledAt} is not null then 'The account is disabled.'
        when ${c.offAt} is not null or ${c.confirmedAt} is null then 'The channel is off.' end`),
      repeat: new Expression<Repeat | null>(`(
        select json_build_object('id', ${m.id}, 'attempts', ${m.attempts}, 'content', ${m.content}) from ${m}
        where ${m.channelId} = ${c.id} and ${m.state} = 'due' and ${m.nextAt} <= now() order by ${m.createdAt} limit 1)`),
      places: new Expression<number[]>(`array(
        select ${epochMs(`(m.ended_at + interval '${HOUR} ms')`)} from ${m}
        where ${m.channelId} = ${c.id} and ${m.createdAt} > now() - interval '${2 * DAY} ms' and ${m.state} = 'delivered'
          and not ${m.isTest} and ${m.endedAt} > now() - interval '${HOUR} ms'
        order by ${m.endedAt} desc offset ${MOST_AN_HOUR - 2} limit 2)`),
    },
    `from ${c} join ${a} on ${a.id} = ${c.accountId} left join ${t} on ${t.accountId} = ${a.id} where ${isClaimed(claimed)}`,
  ),
);

/** A channel as it is now, and what decides whether it may be sent anything. */
export type Channel = NonNullable<Awaited<ReturnType<typeof readChannel>>>;

/** Null: the claim has run out, or the channel is gone. */
export async function readChannel({ id, claim }: Claim) {
  const [row] = await query(CHANNEL, { id, claim });
  if (!row) return null;
  const [lastUntil = null, freeAt = null] = row.places.map(Number);
  // `lastUntil`: the next message is the last before then. `freeAt`: it is too many before then. Epoch milliseconds; null: it is not.
  return { ...row, lastUntil: freeAt === null ? lastUntil : null, freeAt };
}

/** A row that waits, as things are now. Times in epoch milliseconds. */
export type Row = Awaited<ReturnType<typeof lockRows>>[number];

const instant = (sql: string) => new Expression<Date | null>(sql, "instant");
const b = table("Notice", "b");
const OF_BEGIN = `from ${b} where ${b.subjectId} = ${n.subjectId} and ${b.eventId} = ${n.eventId} and ${b.subject} = ${n.subject}
  and ${b.tells} = 'begin' and ${b.channelId} = ${n.channelId}`;
/** SQL: nothing is known any more of what the row is about, since that is gone. */
const IS_GONE = `(${n.subject} <> 'channel' and not exists (
  select from events e where e.subject_id = ${n.subjectId} and e.id = ${n.eventId}))`;

const ROWS = statement({ channelId: int }, ({ channelId }) =>
  select(
    {
      ...{ id: n.id, subject: n.subject, subjectId: n.subjectId, tells: n.tells, kind: n.kind, name: n.name },
      ...{ from: n.startedAt, attempts: n.attempts },
      to: instant(`coalesce(${n.endedAt}, case when ${IS_GONE} then greatest(${n.startedAt}, now()) end)`),
      isAllowed:
        new Expression<boolean>(`(${n.subject} <> 'service' or ${isSharedWith(n.subjectId.sql, n.accountId.sql)}
        or not exists (select from game_services o where o.id = ${n.subjectId}))`),
      snoozedUntil: instant(`(select until from server_snoozes where server_id = ${n.subjectId} and until > now()
        and ${n.subject} = 'server' and ${n.tells} = 'begin')`),
      maintenanceUntil: instant(`(select max(ended_at) from maintenance_times where server_id = ${n.subjectId}
        and now() >= started_at and now() < ended_at and ${n.subject} = 'server' and ${n.tells} = 'begin')`),
      begin: new Expression<string | null>(`case when ${n.tells} = 'end' then (select ${b.state} ${OF_BEGIN}) end`),
      repeatAt: instant(`case when ${n.tells} = 'end' then (
        select ${m.nextAt} from ${m} where ${m.id} = (select ${b.messageId} ${OF_BEGIN}) and ${m.state} = 'due') end`),
    },
    `from ${n} where ${n.channelId} = ${channelId} and ${IS_WAITING} and ${n.nextAt} <= now() + interval '${TOGETHER} ms'
      order by ${n.id} limit ${MOST_ROWS} for update of n skip locked`,
  ),
);

// When an hour is over since each message that told a beginning, the latest first.
const LATELY = statement({ channelId: int }, ({ channelId }) =>
  select(
    {
      topic: new Expression<string>("one.topic"),
      ends: new Expression<number[]>(`array_agg(${epochMs(`(one.at + interval '${HOUR} ms')`)} order by one.at desc)`),
    },
    `from (
      select concat_ws(' ', ${n.subject}, ${n.subjectId}, ${n.kind}) as topic, max(${n.settledAt}) as at from ${n}
      where ${n.channelId} = ${channelId} and ${n.state} = 'told' and ${n.settledAt} > now() - interval '${HOUR} ms'
        and ${n.tells} = 'begin' group by 1, ${n.messageId}) one group by one.topic`,
  ),
);

type Wait = { for: string | null; until: number };

/** The rows that a channel is to be told, and until when some of them wait. They stay as they are until the transaction ends. */
export async function lockRows(ask: Ask, channelId: number, now: number) {
  const rows = await ask(ROWS, { channelId });
  const lately = new Map((await ask(LATELY, { channelId })).map(({ topic, ends }) => [topic, ends.map(Number)]));
  return rows.map(({ snoozedUntil, maintenanceUntil, repeatAt, ...row }) => {
    const isEnd = row.tells === "end";
    const ends = isEnd ? [] : (lately.get(`${row.subject} ${row.subjectId} ${row.kind}`) ?? []);
    const often = ends[OFTEN - 1];
    let wait: Wait | null = null;
    // Its beginning may have arrived, and is sent again before.
    if (repeatAt) wait = { for: null, until: repeatAt + SECOND };
    else if (snoozedUntil) wait = { for: "snooze", until: snoozedUntil };
    else if (maintenanceUntil)
      wait = { for: "maintenance", until: Math.min(maintenanceUntil, now + MAINTENANCE_LOOKS) };
    else if (often) wait = { for: "often", until: often };
    /** `isThird`: it is the last beginning of an hour. */
    return { ...row, subject: row.subject as Subject, isEnd, isThird: ends.length === OFTEN - 1, wait };
  });
}

const PUT_OFF = statement(
  { ids, until: parameter<Date>("timestamptz"), waitsFor: words },
  ({ ids, until, waitsFor }) => ({
    sql: `update ${n} set next_at = greatest(${until}, now() + interval '1 s'), waits_for = ${waitsFor} where ${n.id} = any(${ids})`,
  }),
);
const DROP = statement({ ids, reason: words }, ({ ids, reason }) => ({
  sql: `update ${n} set state = 'dropped', reason = ${reason}, settled_at = now() where ${n.id} = any(${ids})`,
}));

/** Writes that these rows, which the transaction has locked, wait until then (epoch ms). */
export async function putOff(ask: Ask, ids: number[], wait: { for: string | null; until: number }): Promise<void> {
  if (ids.length > 0) await ask(PUT_OFF, { ids, until: new Date(wait.until), waitsFor: wait.for });
}

/** Writes that these rows, which the transaction has locked, are told to nobody, and why. */
export async function drop(ask: Ask, ids: number[], reason: string): Promise<void> {
  if (ids.length > 0) await ask(DROP, { ids, reason });
}

// The lease is asked for once more: another instance may have the channel by now.
const STORE = statement(
  { ...CLAIMED, message: uuid, content: parameter<string>("json"), attempts: int, ids },
  ({ message, content, attempts, ids, ...claimed }): Sql<{ id: number }> => ({
    sql: `with held as (
        update ${c} set held_until = null, held_for = null where ${isClaimed(claimed)} returning c.*),
      made as (
        insert into notice_messages (id, channel_id, account_id, content, attempts, next_at)
        select ${message}, ${c.id}, ${c.accountId}, ${content}, ${attempts}, ${c.leasedUntil} from held c returning id, channel_id),
      told as (update ${n} set message_id = made.id, waits_for = null from made where ${n.id} = any(${ids}))
    select channel_id as id from made`,
  }),
);

/** Keeps a message, because its receiver may have it from then on. False: the claim has run out. */
export async function storeMessage(
  ask: Ask,
  { id, claim }: Claim,
  { message, attempts, ids }: { message: Message; attempts: number; ids: readonly number[] },
): Promise<boolean> {
  const content = JSON.stringify(message);
  return (await ask(STORE, { id, claim, message: message.id, content, attempts, ids })).length > 0;
}

const AGAIN = statement({ ...CLAIMED, message: uuid }, ({ message, ...claimed }) => ({
  sql: `update ${m} set attempts = ${m.attempts} + 1, next_at = ${c.leasedUntil} from ${c}
    where ${m.id} = ${message} and ${m.state} = 'due' and ${isClaimed(claimed)}`,
}));

/** Notes one more attempt of a message that may have arrived. False: the claim has run out. */
export async function repeatMessage({ id, claim }: Claim, message: string): Promise<boolean> {
  return (await execute(AGAIN, { id, claim, message })) === 1;
}

const HOLD = statement({ ...CLAIMED, wait: ms, heldFor: words }, ({ wait, heldFor, ...claimed }) => ({
  sql: `update ${c} set leased_until = null, held_until = ${later(wait)}, held_for = ${heldFor} where ${isClaimed(claimed)}`,
}));
const RELEASE = statement(CLAIMED, (claimed) => ({
  sql: `update ${c} set leased_until = null where ${isClaimed(claimed)}`,
}));

/** Gives a channel back: nothing was sent. `hold`: nothing is sent before, in milliseconds, and why. */
export async function release({ id, claim }: Claim, hold?: { wait: number; for: string }): Promise<void> {
  if (hold) await execute(HOLD, { id, claim, wait: hold.wait, heldFor: hold.for });
  else await execute(RELEASE, { id, claim });
}

const SETTLE_ROWS = (
  of: string,
  state: string,
  reason: string,
) => `update ${n} set state = ${state}, reason = ${reason},
    settled_at = now() where ${n.id} = any(array(select ${n.id} from ${n} where ${of} order by ${n.id} for update))`;

const DROP_ALL = statement({ ...CLAIMED, reason: words }, ({ reason, ...claimed }) => ({
  sql: `with held as (update ${c} set leased_until = null, held_until = null, held_for = null
        where ${isClaimed(claimed)} returning c.id),
      messages as (update ${m} set state = 'dropped', reason = ${reason}, ended_at = now() from held
        where ${m.channelId} = held.id and ${m.state} = 'due')
    ${SETTLE_ROWS(`${n.channelId} = (select id from held) and ${n.state} = 'due'`, "'dropped'", reason)}`,
}));

/** Gives a channel back that is sent nothing: all that waits there is dropped, and says why. */
export async function dropAll({ id, claim }: Claim, reason: string): Promise<void> {
  await execute(DROP_ALL, { id, claim, reason });
}

const DELIVERED = statement({ ...CLAIMED, message: uuid, note: words }, ({ message, note, ...claimed }) => ({
  sql: `with held as (update ${c} set leased_until = null, failing_since = null,
          off_reason = case when ${c.offAt} is not null then ${c.offReason} end
        where ${isClaimed(claimed)} returning c.id),
      delivered as (update ${m} set state = 'delivered', reason = ${note}, ended_at = now() from held where ${m.id} = ${message}),
      others as (
        select ${n.id} as id from ${n} where ${n.channelId} = (select id from held) and ${IS_WAITING} and ${n.attempts} > 0
        order by ${n.id} for update),
      woken as (update ${n} set next_at = now() from others where ${n.id} = others.id)
    ${SETTLE_ROWS(`${n.messageId} = ${message} and exists (select from held)`, "'told'", "null")}`,
}));

/** Writes that a message has arrived. What failed there before is tried at once. */
export async function endDelivered({ id, claim }: Claim, message: string, note: string | null): Promise<void> {
  await execute(DELIVERED, { id, claim, message, note });
}

type Failed = {
  message: string;
  reason: string;
  /** How long the receiver wants nothing, in milliseconds. */
  wait: number | null;
  mayHaveArrived: boolean;
  /** No further attempt can succeed while the channel is as it is. */
  isRefused: boolean;
};

// What may have arrived is sent again as it is. Of another one the notices wait for a new message, each for its own attempts.
const FAILED = statement(
  {
    ...CLAIMED,
    message: uuid,
    reason: words,
    wait: parameter<number | null>("float8"),
    isKept: parameter<boolean>("boolean"),
    isRefused: parameter<boolean>("boolean"),
  },
  ({ message, reason, wait, isKept, isRefused, ...claimed }): Sql<{ isOff: boolean; isGivenUp: boolean }> => {
    const isLast = (attempts: string) => `(${isRefused} or ${attempts} >= ${ATTEMPTS})`;
    const isOver = `(${isRefused} or ${c.failingSince} < now() - interval '${OFF_AFTER} ms')`;
    return {
      sql: `with held as (
          update ${c} set leased_until = null, failing_since = coalesce(${c.failingSince}, now()),
            held_until = case when ${wait} is not null then ${later(wait)} end, held_for = case when ${wait} is not null then 'receiver' end,
            off_at = case when ${isOver} then coalesce(${c.offAt}, now()) else ${c.offAt} end,
            off_reason = case when ${c.offAt} is null then ${reason} else ${c.offReason} end
          where ${isClaimed(claimed)} returning c.id, ${c.offAt} > now() - interval '1 s' as is_off),
        mine as (
          select ${n.id} as id, ${isLast(`case when ${isKept} then ${m.attempts} else ${n.attempts} + 1 end`)} as is_last
          from ${n} join ${m} on ${m.id} = ${n.messageId} where ${m.id} = ${message} and exists (select from held)
          order by ${n.id} for update of n),
        rows as (
          update ${n} set attempts = least(${n.attempts} + 1, ${ATTEMPTS}), reason = ${reason},
            state = case when is_last then 'failed' else ${n.state} end, settled_at = case when is_last then now() end,
            message_id = case when is_last or ${isKept} then ${n.messageId} end,
            next_at = case when is_last then ${n.nextAt} else now() + ${waitAfter(`${n.attempts} + 1`)} end
          from mine where ${n.id} = mine.id),
        gone as (
          delete from ${m} where ${m.id} = ${message} and not ${isKept} and exists (select from held)
            and not exists (select from mine where is_last)),
        kept as (
          update ${m} set reason = ${reason}, ended_at = now(), next_at = coalesce(now() + ${waitAfter(m.attempts.sql)}, ${m.nextAt}),
            state = case when ${isLast(m.attempts.sql)} or not ${isKept} then 'failed' else 'due' end
          where ${m.id} = ${message} and exists (select from held) and (${isKept} or exists (select from mine where is_last)))
      select coalesce(is_off, false) as "isOff", exists (select from mine where is_last) as "isGivenUp" from held`,
    };
  },
);

const TELL_OTHERS = statement({ id: int }, ({ id }) => ({
  sql: `insert into notices (channel_id, account_id, subject, subject_id, event_id, tells, kind, name, started_at, ended_at, due_at, next_at)
    select o.id, o.account_id, 'channel', ${c.id}, extract(epoch from ${c.offAt})::int, 'begin', '${CHANNEL_OFF}', ${c.name}, ${c.offAt}, ${c.offAt}, now(), now()
    from ${c} join notice_channels o on o.account_id = ${c.accountId} and o.id <> ${c.id} and o.off_at is null and o.confirmed_at is not null
    where ${c.id} = ${id} and ${c.offAt} is not null on conflict do nothing`,
}));

/**
 * Writes that an attempt has failed. True: a notice is given up. If the channel is turned off for it, the others of its account
 * tell so.
 */
export async function endFailed({ id, claim }: Claim, failed: Failed): Promise<boolean> {
  const { message, reason, wait, mayHaveArrived: isKept, isRefused } = failed;
  const values = { id, claim, message, reason: reason.slice(0, MAX_REASON), wait, isKept, isRefused };
  const [ended] = await query(FAILED, values);
  if (ended?.isOff) await execute(TELL_OTHERS, { id });
  return ended?.isGivenUp ?? false;
}

const IS_DUE = `${IS_WAITING} and ${n.nextAt} <= now() and exists (select from ${c} where ${c.id} = ${n.channelId}
  and (${c.heldUntil} is null or ${c.heldUntil} <= now()))`;
const STATE = statement({}, () =>
  select(
    {
      due: new Expression<number>("count(*)::int"),
      oldest: instant(`min(${n.nextAt})`),
      now: new Expression<Date>("now()", "instant"),
    },
    `from ${n} where ${IS_DUE}`,
  ),
);

/** How many notices are due, and how long the oldest of them, or of what has no notice yet, has been due (ms). */
export async function measureDue(): Promise<{ due: number; oldest: number }> {
  const [[state], unmade] = await Promise.all([query(STATE, {}), oldestWithoutRows()]);
  if (!state) return { due: 0, oldest: 0 };
  return { due: state.due, oldest: Math.max(0, state.now - Math.min(state.oldest ?? state.now, unmade ?? state.now)) };
}
