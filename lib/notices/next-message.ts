import { randomUUID } from "node:crypto";
import type { Prisma } from "@/lib/database/client";
import { queryIn } from "@/lib/database/run-statement";
import { epochMs, parameter, type Sql, statement } from "@/lib/database/statement";
import { optional, table } from "@/lib/database/tables";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { type Channel, type Claim, giveBack, lockDue, NOT_HELD, whileClaimed } from "@/lib/notices/claims";
import type { Message, Told } from "@/lib/notices/message";
import { quietUntil } from "@/lib/notices/quiet-hours";
import { IS_CHOSEN, IS_WAITING, isSharedWith, KINDS, TOGETHER } from "@/lib/notices/rows";
import { textOf } from "@/lib/notices/wording";

// What a channel is sent at this moment: a message that may not have arrived, once more, or one of all that is due there.

/** Messages of a channel within an hour. */
const MOST_AN_HOUR = 20;
/** Beginnings of one subject and kind within an hour. */
const OFTEN = 3;
/** Maintenance may be called off: what waits for its end is looked at again after this, in milliseconds. */
const MAINTENANCE_LOOKS = 10 * MINUTE;
/** Rows of one message. */
const MOST_ROWS = 10_000;

/** A message on its way. `attempts`: those that have begun. */
export type Sent = { channel: Channel; message: Message; attempts: number; isRepeat: boolean };

const n = table("Notice", "n");
const b = optional("Notice", "b");
const m = optional("NoticeMessage", "m");
const t = optional("NoticeSettings", "t");

/** SQL: nothing is known any more of what the row is about, since that is gone. */
const IS_GONE = `(${n.subject} <> 'channel' and not exists (
  select from events e where e.subject_id = ${n.subjectId} and e.id = ${n.eventId}))`;
const IS_ALLOWED = `(${n.subject} <> 'service' or ${isSharedWith(n.subjectId.sql, n.accountId.sql)}
  or not exists (select from game_services o where o.id = ${n.subjectId}))`;
const IS_ON = `(${n.subject} = 'channel' or k.kind is not null and ${IS_CHOSEN})`;
const IS_NEW_OF_SERVER = `${n.subject} = 'server' and ${n.tells} = 'begin'`;

type Due = Told & { id: number; attempts: number };

// Raw, because one statement locks what is due, drops and puts off of it what is not told now, and answers the rest. `lately`: when an
// hour is over since each message that told a beginning. `b` is the beginning of an end, and `m` its message if that may have arrived.
const TAKE_DUE = statement(
  { channelId: parameter<number>("int") },
  ({ channelId }): Sql<Due> => ({
    sql: `with lately as (
        select one.subject, one.subject_id, one.kind, array_agg(one.at + interval '${HOUR} ms' order by one.at desc) as ends
        from (
          select ${n.subject}, ${n.subjectId}, ${n.kind}, max(${n.settledAt}) as at from ${n}
          where ${n.channelId} = ${channelId} and ${n.state} = 'told' and ${n.settledAt} > now() - interval '${HOUR} ms'
            and ${n.tells} = 'begin' group by 1, 2, 3, ${n.messageId}) one
        group by 1, 2, 3),
      due as (
        select n.*, coalesce(${n.endedAt}, case when ${IS_GONE} then greatest(${n.startedAt}, now()) end) as over_at,
          ${n.tells} = 'begin' and coalesce(cardinality(lately.ends), 0) = ${OFTEN - 1} as is_third,
          wait.waits as waits, wait.until as until,
          case when not ${IS_ALLOWED} then 'It is no longer shared with you, or you no longer want to be told of what is.'
            when not ${IS_ON} then 'You no longer want to be told of this.'
            when ${n.tells} = 'begin' or ${b.state} = 'told' or ${m.id} is not null then null
            when ${b.state} = 'due' then 'Its beginning was not told yet, and says that it is over.'
            else 'Its beginning was never told.' end as refusal
        from ${n} left join ${t} on ${t.accountId} = ${n.accountId}
        left join ${KINDS} on k.subject = ${n.subject} and k.kind = ${n.kind}
        left join lately on lately.subject = ${n.subject} and lately.subject_id = ${n.subjectId} and lately.kind = ${n.kind}
        left join ${b} on ${n.tells} = 'end' and ${b.subjectId} = ${n.subjectId} and ${b.eventId} = ${n.eventId}
          and ${b.subject} = ${n.subject} and ${b.tells} = 'begin' and ${b.channelId} = ${n.channelId}
        left join ${m} on ${m.id} = ${b.messageId} and ${m.state} = 'due'
        left join lateral (
          select waits, until from (values
            (1, null, ${m.nextAt} + interval '1 s'),
            (2, 'snooze', (select s.until from server_snoozes s
              where s.server_id = ${n.subjectId} and s.until > now() and ${IS_NEW_OF_SERVER})),
            (3, 'maintenance', (select least(max(x.ended_at), now() + interval '${MAINTENANCE_LOOKS} ms') from maintenance_times x
              where x.server_id = ${n.subjectId} and now() >= x.started_at and now() < x.ended_at and ${IS_NEW_OF_SERVER}
              having count(*) > 0)),
            (4, 'often', case when ${n.tells} = 'begin' then lately.ends[${OFTEN}] end)) as w (place, waits, until)
          where until is not null order by place limit 1) wait on true
        where ${n.channelId} = ${channelId} and ${IS_WAITING} and ${n.nextAt} <= now() + interval '${TOGETHER} ms'
        order by ${n.id} limit ${MOST_ROWS} for update of n skip locked),
      dropped as (
        update ${n} set state = 'dropped', reason = due.refusal, settled_at = now()
        from due where ${n.id} = due.id and due.refusal is not null),
      put_off as (
        update ${n} set next_at = greatest(due.until, now() + interval '1 s'), waits_for = due.waits
        from due where ${n.id} = due.id and due.refusal is null and due.until is not null)
    select due.id as "id", due.subject as "subject", due.subject_id as "subjectId", due.kind as "kind", due.name as "name",
      due.attempts as "attempts", due.tells = 'end' as "isEnd", due.is_third as "isThird",
      ${epochMs("due.started_at")} as "from", ${epochMs("due.over_at")} as "to"
    from due where due.refusal is null and due.until is null order by due.id`,
  }),
);

/** Decides what a channel is sent now, and keeps it, because its receiver may have it from then on. Null: nothing. */
export function nextMessage(claim: Claim): Promise<Sent | null> {
  return whileClaimed(claim, async (tx, channel) => {
    const { id, accountId, now, zone } = channel;
    if (channel.disabledAt !== null) return dropAll(tx, channel, "The account is disabled.");
    if (channel.offAt !== null || channel.confirmedAt === null) return dropAll(tx, channel, "The channel is off.");
    const quiet = quietUntil(channel, now);
    if (quiet !== null) return giveBack(tx, id, { heldFor: "quiet", heldUntil: new Date(quiet) });
    // No later than another instance may claim the channel: nothing else goes out before what may not have arrived.
    const nextAt = new Date(channel.leasedUntil);
    const repeat = await tx.noticeMessage.findFirst({
      where: { channelId: id, state: "due", nextAt: { lte: new Date(now) } },
      orderBy: { createdAt: "asc" },
    });
    if (repeat) {
      const attempts = repeat.attempts + 1;
      await tx.noticeMessage.update({ where: { id: repeat.id }, data: { attempts, nextAt } });
      return { channel, message: repeat.content as unknown as Message, attempts, isRepeat: true };
    }
    const { lastUntil, freeAt } = await hourOf(tx, channel);
    if (freeAt !== null) {
      return giveBack(tx, id, { heldFor: "limit", heldUntil: new Date(Math.max(now + SECOND, freeAt)) });
    }
    const told = await queryIn(tx, TAKE_DUE, { channelId: id });
    if (told.length === 0) return giveBack(tx, id);
    const text = textOf(told, { now, zone, lastUntil, isLate: channel.heldFor === "limit" });
    const message = { id: randomUUID(), ...text, at: new Date(now).toISOString() };
    const attempts = Math.max(...told.map((row) => row.attempts)) + 1;
    await tx.noticeMessage.create({
      data: { id: message.id, channelId: id, accountId, content: message, attempts, nextAt },
    });
    await tx.notice.updateMany({
      where: { id: { in: told.map((row) => row.id) } },
      data: { messageId: message.id, waitsFor: null },
    });
    await tx.noticeChannel.update({ where: { id }, data: NOT_HELD });
    return { channel, message, attempts, isRepeat: false };
  });
}

/** `lastUntil`: the next message is the last before then. `freeAt`: it is too many before then. Epoch milliseconds; null: it is not. */
async function hourOf(tx: Prisma.TransactionClient, { id, now }: Channel) {
  const delivered = await tx.noticeMessage.findMany({
    where: {
      ...{ channelId: id, state: "delivered", isTest: false, endedAt: { gt: new Date(now - HOUR) } },
      // The index is of this time. No message is tried for longer.
      createdAt: { gt: new Date(now - 2 * DAY) },
    },
    select: { endedAt: true },
    orderBy: { endedAt: "desc" },
    skip: MOST_AN_HOUR - 2,
    take: 2,
  });
  const [beforeLast = null, last = null] = delivered.map(({ endedAt }) => Number(endedAt) + HOUR);
  return { lastUntil: last === null ? beforeLast : null, freeAt: last };
}

/** Drops all that waits at a channel that is sent nothing, and says why. */
async function dropAll(tx: Prisma.TransactionClient, { id, now }: Channel, reason: string) {
  const where = { channelId: id, state: "due" };
  const dropped = { state: "dropped", reason };
  await lockDue(tx, id, null);
  await tx.notice.updateMany({ where, data: { ...dropped, settledAt: new Date(now) } });
  await tx.noticeMessage.updateMany({ where, data: { ...dropped, endedAt: new Date(now) } });
  return giveBack(tx, id, NOT_HELD);
}
