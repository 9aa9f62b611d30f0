import { db } from "@/lib/database/client";
import { execute, query } from "@/lib/database/run-statement";
import { epochMs, parameter, type Sql, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY, HOUR, SECOND } from "@/lib/format/time";
import type { Subject } from "@/lib/notices/kinds";
import type { Message } from "@/lib/notices/message";
import type { NoticeFacts } from "@/lib/notices/planning";
import { MOST_AN_HOUR } from "@/lib/notices/rules";
import { isToldTo, ofEach } from "@/lib/notices/sources";
import type { MessageContent } from "@/lib/notices/wording";

// The statements of the outbox. Each is a transaction of its own, so nothing is held while a message is on its way. Times are
// those of the database, since clocks of instances may be set.

/** An instance that dies while it sends blocks a delivery for this long. Longer than any attempt may take. */
const LEASE = 60 * SECOND;
/** Deliveries of one account at a time: a receiver that hangs delays no other account. One at a time for each channel. */
const OF_ACCOUNT = 2;
/** Channels whose attempts have all failed for so long are turned off. */
const OFF_AFTER = DAY;

const d = table("NoticeDelivery", "d");
const n = table("Notice", "n");
const c = table("NoticeChannel", "c");
const a = table("Account", "a");
const i = table("NoticeIncident", "i");

const uuid = parameter<string>("uuid");
const int = parameter<number>("int");
const milliseconds = parameter<number>("float8");
const yes = parameter<boolean>("boolean");
const text = parameter<string | null>("text");
const later = (ms: string) => `now() + ${ms} * interval '1 ms'`;
const IS_FREE = `${d.state} = 'due' and ${d.attemptAt} <= now() and (${d.leasedUntil} is null or ${d.leasedUntil} <= now())`;
const IS_BUSY = "b.state = 'due' and b.leased_until > now()";
/** SQL: nothing is sent by its channel until then: its receiver asked for that, or had enough within an hour. */
const IS_HELD = `${IS_BUSY} and b.attempt_at > now()`;

/** A delivery that this instance has claimed. `attempt` also says that the claim is still the last one. */
export type Claim = { id: string; attempt: number; isMail: boolean };

// Raw, because of "skip locked". Accounts take turns: the first of each, then the second.
const CLAIM = statement(
  { most: int, mails: int },
  ({ most, mails }): Sql<Claim> => ({
    sql: `with waiting as (
        select ${d.id} as id, ${d.accountId} as account_id, ${d.attemptAt} as at, ${c.kind} = 'mail' as is_mail,
          row_number() over (partition by ${d.channelId} order by ${d.attemptAt}, ${d.id}) as of_channel
        from ${d} join ${c} on ${c.id} = ${d.channelId} where ${IS_FREE}
          and not exists (select from notice_deliveries b where b.channel_id = ${d.channelId} and ${IS_BUSY})),
      turns as (
        select id, at, is_mail, row_number() over (partition by account_id order by at, id)
          + (select count(*) from notice_deliveries b where b.account_id = waiting.account_id and ${IS_BUSY}
              and not (${IS_HELD})) as turn
        from waiting where of_channel = 1),
      places as (
        select *, row_number() over (partition by is_mail order by turn, at) as place from turns where turn <= ${OF_ACCOUNT}),
      next as (
        select ${d.id} as id, is_mail from ${d} join places on places.id = ${d.id}
        where (not is_mail or place <= ${mails}) and ${IS_FREE}
        order by turn, at limit ${most} for update of d skip locked)
    update ${d} set leased_until = ${later(String(LEASE))}, attempts = ${d.attempts} + 1 from next where ${d.id} = next.id
    returning ${d.id} as "id", ${d.attempts} as "attempt", next.is_mail as "isMail"`,
  }),
);

/** Claims deliveries that are due, `most` at most, of them `mails` by mail. */
export function claimDeliveries(most: number, mails: number): Promise<Claim[]> {
  return query(CLAIM, { most, mails });
}

/** A row of notice_channels, which `deliver` opens. */
export type Channel = NonNullable<Awaited<ReturnType<typeof findChannel>>>;

function findChannel(id: number) {
  return db.noticeChannel.findUnique({ where: { id } });
}

/** What a channel was sent of the beginning of an incident. Null: nothing. */
type Beginning = { state: string; at: number; saidOver: boolean; id: string } | null;

export type Loaded = NonNullable<Awaited<ReturnType<typeof loadDelivery>>>;

/** The text of a message as it is sent, the incidents that it says are over, and whether it says that the next ones wait. */
export type Content = { message: Message; over: number[]; saysHeld?: boolean };

type StoredIncident = readonly [
  id: number,
  subject: Subject,
  subjectId: number,
  kind: string,
  from: number,
  to: number | null,
  name: string | null,
  beginning: Beginning,
];

/** SQL: the name of the server, token or game service of an incident; null when it is gone or no longer shared. */
const NAME = `coalesce(${ofEach(
  ", ",
  ({ o, label }, subject) =>
    `(select ${label} from ${o} where ${i.subject} = '${subject}' and ${o.id} = ${i.subjectId} and ${isToldTo(d.accountId.sql, subject)})`,
)})`;

// Raw, because one statement sees one moment.
const LOAD = statement({ id: uuid, attempt: int }, ({ id, attempt }) =>
  select(
    {
      channelId: d.channelId,
      isOn: new Expression<boolean>(`(${c.offAt} is null and ${c.confirmedAt} is not null)`),
      isEnabled: new Expression<boolean>(`(${a.disabledAt} is null)`),
      accountId: d.accountId,
      zone: a.timeZone,
      noticeId: n.id,
      kind: n.kind,
      facts: n.facts,
      content: d.content,
      threadDelivery: new Expression<string | null>(`(
        select first.id from notice_deliveries first where first.notice_id = ${n.thread} and first.channel_id = ${d.channelId})`),
      // What was delivered within an hour was due within two days.
      places: new Expression<number[]>(
        `array(select ${epochMs(`(r.ended_at + interval '${HOUR} ms')`)} from notice_deliveries r join notices m on m.id = r.notice_id
          where r.channel_id = ${d.channelId} and r.state = 'delivered' and m.kind <> 'test'
            and r.due_at > now() - interval '${2 * DAY} ms' and r.ended_at > now() - interval '${HOUR} ms'
          order by r.ended_at desc offset ${MOST_AN_HOUR - 2} limit 2)`,
      ),
      waiting: new Expression<number>(`(select count(*)::int from notice_deliveries w
        where w.channel_id = ${d.channelId} and w.state = 'due' and w.id <> ${d.id})`),
      now: new Expression<Date>("now()", "instant"),
      incidents: new Expression<StoredIncident[] | null>(`(
        select json_agg(json_build_array(${i.id}, ${i.subject}, ${i.subjectId}, ${i.kind}, ${epochMs(i.startedAt)},
            ${epochMs(i.endedAt)}, ${NAME}, case when before.id is not null then json_build_object('id', before.id,
              'state', before.state, 'at', ${epochMs("before.attempt_at")},
              'saidOver', coalesce(before.content::jsonb -> 'over' @> to_jsonb(${i.id}), false)) end)
          order by ${i.startedAt}, ${i.id})
        from ${i}
        left join notice_deliveries before on before.notice_id = ${i.toldIn} and before.channel_id = ${d.channelId}
        where ${i.id} = any(${n.incidents}))`),
    },
    `from ${d} join ${n} on ${n.id} = ${d.noticeId} join ${c} on ${c.id} = ${d.channelId}
      join ${a} on ${a.id} = ${d.accountId}
    where ${d.id} = ${id} and ${d.attempts} = ${attempt} and ${d.state} = 'due'`,
  ),
);

/** What a claimed delivery needs, as it is now. Null: it is gone, or claimed by another instance. */
export async function loadDelivery({ id, attempt }: Claim) {
  const [row] = await query(LOAD, { id, attempt });
  const channel = row ? await findChannel(row.channelId) : null;
  if (!row || !channel) return null;
  const stored = row.incidents ?? [];
  const incidents = stored.flatMap(([id, subject, subjectId, kind, from, to, name, beginning]) =>
    name === null ? [] : [{ id, subject, subjectId, kind, from, to, name, beginning }],
  );
  const isGone = stored.length > 0 && incidents.length === 0;
  const [afterThis, freeAt] = row.places.map(Number);
  return {
    channel,
    /** Null: it may be sent. A sentence: why not. */
    hindrance: !row.isEnabled
      ? "The account is disabled."
      : !row.isOn
        ? "The channel is off."
        : isGone
          ? stored.some(([, subject]) => subject === "service")
            ? "What it was about is no longer there, or no longer shared with you."
            : "What it was about is no longer there."
          : null,
    accountId: row.accountId,
    zone: row.zone,
    noticeId: row.noticeId,
    kind: row.kind as MessageContent["kind"],
    facts: row.facts as unknown as NoticeFacts,
    /** What was sent already, and may have arrived. */
    content: row.content as unknown as Content | null,
    /** Those whose thing is still there and still the account's, or shared with it. */
    incidents,
    /** The delivery on this channel that began the thread. */
    threadDelivery: row.threadDelivery,
    /** When the channel may be sent something again that has had as many messages as an hour may have. Null: now. */
    freeAt: freeAt ?? null,
    /** If this is the last message of an hour: when the next one may be sent (epoch ms). */
    lastUntil: freeAt === undefined ? (afterThis ?? null) : null,
    /** Other messages that the channel is still to be sent. */
    waiting: row.waiting,
    now: row.now,
  };
}

// Every statement after a claim asks whether the claim is still the last one.
const isClaimed = (id: string, attempt: string) =>
  `${d.id} = ${id} and ${d.attempts} = ${attempt} and ${d.state} = 'due'`;

const KEEP_CONTENT = statement(
  { id: uuid, attempt: int, content: parameter<string>("json") },
  ({ id, attempt, content }) => ({
    sql: `update ${d} set content = ${content} where ${isClaimed(id, attempt)} and ${d.leasedUntil} > now()`,
  }),
);

/** Keeps what is sent next, because the receiver may have it from then on. False: the claim ran out. */
export async function keepContent({ id, attempt }: Claim, content: Content): Promise<boolean> {
  return (await execute(KEEP_CONTENT, { id, attempt, content: JSON.stringify(content) })) === 1;
}

/** When a claim is due again, after `wait` (ms). `holdsChannel`: until then nothing else is sent by its channel. */
type Later = { wait: number; holdsChannel: boolean };
// A lease that goes on beyond now holds the channel.
const becomesDue = (wait: string, holdsChannel: string) =>
  `attempt_at = ${later(wait)}, leased_until = case when ${holdsChannel} then ${later(wait)} end`;
const LATER = { id: uuid, attempt: int, wait: milliseconds, holdsChannel: yes };

const POSTPONE = statement(LATER, ({ id, attempt, wait, holdsChannel }) => ({
  sql: `update ${d} set attempts = ${d.attempts} - 1, ${becomesDue(wait, holdsChannel)} where ${isClaimed(id, attempt)}`,
}));

/** Gives a claim back: nothing was sent. */
export async function postpone({ id, attempt }: Claim, when: Later): Promise<void> {
  await execute(POSTPONE, { id, attempt, ...when });
}

/** The end of a delivery. `failed`: an attempt was made and failed. */
type End = { state: "delivered" | "undelivered" | "dropped"; reason: string | null; failed: boolean; turnOff: boolean };

const MAX_REASON = 500;
const channelAfter = (failed: string, turnOff: string, reason: string) => `update ${c} set
      failing_since = case when ${failed} then coalesce(${c.failingSince}, now()) end,
      off_at = case when ${turnOff} or ${failed} and ${c.failingSince} < now() - interval '${OFF_AFTER} ms'
        then coalesce(${c.offAt}, now()) else ${c.offAt} end,
      off_reason = case when ${c.offAt} is null and (${turnOff} or ${failed} and ${c.failingSince} < now() - interval '${OFF_AFTER} ms')
        then ${reason} else ${c.offReason} end`;

const END = statement(
  { id: uuid, attempt: int, state: d.state, reason: text, failed: yes, turnOff: yes },
  ({ id, attempt, state, reason, failed, turnOff }) => ({
    sql: `with ended as (
        update ${d} set state = ${state}, reason = ${reason}, leased_until = null, ended_at = now()
        where ${isClaimed(id, attempt)} returning ${d.channelId} as channel_id, ${d.state} as state)
    ${channelAfter(failed, turnOff, reason)} from ended
    where ${c.id} = ended.channel_id and ended.state <> 'dropped'`,
  }),
);

/** Writes what became of a delivery, unless another instance has claimed it since. */
export async function endDelivery({ id, attempt }: Claim, { reason, ...end }: End): Promise<void> {
  await execute(END, { id, attempt, reason: reason?.slice(0, MAX_REASON) ?? null, ...end });
}

const AGAIN = statement(
  { ...LATER, reason: text, mayHaveArrived: yes },
  ({ id, attempt, wait, reason, mayHaveArrived, holdsChannel }) => ({
    sql: `with again as (
        update ${d} set ${becomesDue(wait, holdsChannel)}, reason = ${reason}, ended_at = now(),
          content = case when ${mayHaveArrived} then ${d.content} end
        where ${isClaimed(id, attempt)} returning ${d.channelId} as channel_id)
    ${channelAfter("true", "false", reason)} from again where ${c.id} = again.channel_id`,
  }),
);

/** Notes a failed attempt. */
export async function tryAgain(
  { id, attempt }: Claim,
  { reason, ...again }: Later & { reason: string; mayHaveArrived: boolean },
): Promise<void> {
  await execute(AGAIN, { id, attempt, reason: reason.slice(0, MAX_REASON), ...again });
}

const IS_DUE = `${d.state} = 'due' and ${d.attemptAt} <= now()
  and not exists (select from notice_deliveries b where b.channel_id = ${d.channelId} and ${IS_HELD})`;
const STATE = statement({}, () =>
  select({
    due: new Expression<number>(`(select count(*)::int from ${d} where ${IS_DUE})`),
    oldest: new Expression<Date | null>(
      `least((select min(${d.attemptAt}) from ${d} where ${IS_DUE}), (select min(${i.lookAt}) from ${i}))`,
      "instant",
    ),
    now: new Expression<Date>("now()", "instant"),
  }),
);

/** How much is due, and how long the oldest of it, or of what has still to become a message, has been due (ms). */
export async function measureOutbox(): Promise<{ due: number; oldest: number }> {
  const [state] = await query(STATE, {});
  if (!state) return { due: 0, oldest: 0 };
  return { due: state.due, oldest: Math.max(0, state.now - (state.oldest ?? state.now)) };
}
