import { db } from "@/lib/database/client";
import { execute, query } from "@/lib/database/run-statement";
import { epochMs, parameter, type Sql, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY, SECOND } from "@/lib/format/time";
import type { Subject } from "@/lib/notices/kinds";
import type { Message } from "@/lib/notices/message";
import type { NoticeFacts } from "@/lib/notices/planning";
import { isToldTo, ofEach } from "@/lib/notices/sources";
import type { ToldIncident } from "@/lib/notices/wording";

// The statements of the outbox. Each is a transaction of its own, so nothing is held while a message is on its way. Times are
// those of the database, since clocks of instances may be set.

/** An instance that dies while it sends blocks a delivery for this long. Longer than any attempt may take. */
const LEASE = 60 * SECOND;
/** Deliveries of one account at a time: a receiver that hangs delays nobody else. Of a channel there is one. */
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
const later = (ms: string) => `now() + ${ms} * interval '1 ms'`;
const IS_FREE = `${d.state} = 'due' and ${d.attemptAt} <= now() and (${d.leasedUntil} is null or ${d.leasedUntil} <= now())`;
const IS_BUSY = "b.state = 'due' and b.leased_until > now()";

/** A delivery that this instance has claimed. `attempt` also says that the claim is still the last one. */
export type Claim = { id: string; attempt: number };

// Raw, because of "skip locked". Accounts take turns: the first of each, then the second.
const CLAIM = statement(
  { most: int },
  ({ most }): Sql<Claim> => ({
    sql: `with waiting as (
        select ${d.id} as id, ${d.accountId} as account_id, ${d.attemptAt} as at,
          row_number() over (partition by ${d.channelId} order by ${d.attemptAt}, ${d.id}) as of_channel
        from ${d} where ${IS_FREE}
          and not exists (select from notice_deliveries b where b.channel_id = ${d.channelId} and ${IS_BUSY})),
      turns as (
        select id, at, row_number() over (partition by account_id order by at, id)
          + (select count(*) from notice_deliveries b where b.account_id = waiting.account_id and ${IS_BUSY}) as turn
        from waiting where of_channel = 1),
      next as (
        select ${d.id} as id from ${d} join turns on turns.id = ${d.id} where turns.turn <= ${OF_ACCOUNT} and ${IS_FREE}
        order by turns.turn, turns.at limit ${most} for update of d skip locked)
    update ${d} set leased_until = ${later(String(LEASE))}, attempts = ${d.attempts} + 1 from next where ${d.id} = next.id
    returning ${d.id} as "id", ${d.attempts} as "attempt"`,
  }),
);

/** Claims deliveries that are due, `most` at most. */
export function claimDeliveries(most: number): Promise<Claim[]> {
  return query(CLAIM, { most });
}

/** A row of notice_channels, which `deliver` opens. */
export type Channel = NonNullable<Awaited<ReturnType<typeof findChannel>>>;

function findChannel(id: number) {
  return db.noticeChannel.findUnique({ where: { id } });
}

/** What a channel was sent of the beginning of an incident. Null: nothing. */
type Beginning = { state: string; at: number; saidOver: boolean; id: string } | null;

export type Loaded = {
  channel: Channel;
  /** Null: it may be sent. A sentence: why not. */
  hindrance: string | null;
  accountId: number;
  zone: string;
  noticeId: string;
  kind: "begun" | "ended" | "still" | "test";
  facts: NoticeFacts;
  /** What was sent already, and may have arrived. */
  content: Content | null;
  /** Those whose thing is still there and still the account's, or shared with it. */
  incidents: (ToldIncident & { beginning: Beginning })[];
  /** The delivery on this channel that began the thread. */
  threadDelivery: string | null;
  now: number;
};

/** The text of a message as it is sent, and the incidents that it says are over. */
export type Content = { message: Message; over: number[] };

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

/** SQL of the name of what an incident is about; null: it is gone, or the account is no longer told of it. */
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
export async function loadDelivery({ id, attempt }: Claim): Promise<Loaded | null> {
  const [row] = await query(LOAD, { id, attempt });
  const channel = row ? await findChannel(row.channelId) : null;
  if (!row || !channel) return null;
  const stored = row.incidents ?? [];
  const incidents = stored.flatMap(([id, subject, subjectId, kind, from, to, name, beginning]) =>
    name === null ? [] : [{ id, subject, subjectId, kind, from, to, name, beginning }],
  );
  const isGone = stored.length > 0 && incidents.length === 0;
  return {
    channel,
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
    kind: row.kind as Loaded["kind"],
    facts: row.facts as unknown as NoticeFacts,
    content: row.content as unknown as Content | null,
    incidents,
    threadDelivery: row.threadDelivery,
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

const POSTPONE = statement({ id: uuid, attempt: int, wait: milliseconds }, ({ id, attempt, wait }) => ({
  sql: `update ${d} set leased_until = null, attempts = ${d.attempts} - 1, attempt_at = ${later(wait)}
    where ${isClaimed(id, attempt)}`,
}));

/** Gives a claim back: nothing was sent. It is due again after `wait` (ms). */
export async function postpone({ id, attempt }: Claim, wait: number): Promise<void> {
  await execute(POSTPONE, { id, attempt, wait });
}

/** The end of a delivery. `failed`: an attempt failed, as opposed to one that was not made. */
type End = { state: "delivered" | "undelivered" | "dropped"; reason: string | null; failed: boolean; turnOff: boolean };

const MAX_REASON = 500;
const channelAfter = (failed: string, turnOff: string, reason: string) => `update ${c} set
      failing_since = case when ${failed} then coalesce(${c.failingSince}, now()) end,
      off_at = case when ${turnOff} or ${failed} and ${c.failingSince} < now() - interval '${OFF_AFTER} ms'
        then coalesce(${c.offAt}, now()) else ${c.offAt} end,
      off_reason = case when ${c.offAt} is null and (${turnOff} or ${failed} and ${c.failingSince} < now() - interval '${OFF_AFTER} ms')
        then ${reason} else ${c.offReason} end`;
const yes = parameter<boolean>("boolean");
const text = parameter<string | null>("text");

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
  { id: uuid, attempt: int, wait: milliseconds, reason: text, mayHaveArrived: yes },
  ({ id, attempt, wait, reason, mayHaveArrived }) => ({
    sql: `with again as (
        update ${d} set attempt_at = ${later(wait)}, leased_until = null, reason = ${reason}, ended_at = now(),
          content = case when ${mayHaveArrived} then ${d.content} end
        where ${isClaimed(id, attempt)} returning ${d.channelId} as channel_id)
    ${channelAfter("true", "false", reason)} from again where ${c.id} = again.channel_id`,
  }),
);

/** Notes a failed attempt. The next is due after `wait` (ms). */
export async function tryAgain(
  { id, attempt }: Claim,
  { wait, reason, mayHaveArrived }: { wait: number; reason: string; mayHaveArrived: boolean },
): Promise<void> {
  await execute(AGAIN, { id, attempt, wait, reason: reason.slice(0, MAX_REASON), mayHaveArrived });
}

const STATE = statement({}, () =>
  select({
    due: new Expression<number>(
      `(select count(*)::int from ${d} where ${d.state} = 'due' and ${d.attemptAt} <= now())`,
    ),
    oldest: new Expression<Date | null>(
      `least((select min(${d.attemptAt}) from ${d} where ${d.state} = 'due'), (select min(${i.lookAt}) from ${i}))`,
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
