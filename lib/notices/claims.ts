import { db, type Prisma } from "@/lib/database/client";
import { query, queryIn } from "@/lib/database/run-statement";
import { parameter, type RowOfStatement, type Sql, select, statement } from "@/lib/database/statement";
import { Expression, optional, table } from "@/lib/database/tables";
import { SECOND } from "@/lib/format/time";
import { IS_WAITING } from "@/lib/notices/rows";

// An instance claims a channel by a lease, and whoever writes there asks whether its claim is still the last one. Times are those of
// the database, since clocks of instances may be set.

/** An instance that dies while it sends blocks a channel for this long, in milliseconds. Longer than any attempt may take. */
export const LEASE = 60 * SECOND;
/** Channels of one account at a time, of mail and of the others: a receiver that hangs delays no other account. */
const OF_ACCOUNT = 2;

const n = table("Notice", "n");
const m = table("NoticeMessage", "m");
const c = table("NoticeChannel", "c");
const a = table("Account", "a");
const t = optional("NoticeSettings", "t");

const int = parameter<number>("int");

/** A channel that this instance has claimed. `claim` also says that it is still the last one. */
export type Claim = { id: number; claim: number };

const IS_FREE = `(${c.leasedUntil} is null or ${c.leasedUntil} <= now()) and (${c.heldUntil} is null or ${c.heldUntil} <= now())`;

// Raw, because of "skip locked". Accounts take turns: the first channel of each, then the second.
const CLAIM = statement(
  { isMail: parameter<boolean>("boolean"), most: int, keys: parameter<readonly string[]>("text[]") },
  ({ isMail, most, keys }): Sql<Claim> => ({
    sql: `with work as (
        select ${n.channelId} as id, min(${n.nextAt}) as at from ${n} where ${IS_WAITING} and ${n.nextAt} <= now() group by 1
        union all select ${m.channelId}, min(${m.nextAt}) from ${m} where ${m.state} = 'due' and ${m.nextAt} <= now() group by 1),
      turns as (
        select ${c.id} as id, min(work.at) as at, row_number() over (partition by ${c.accountId} order by min(work.at), ${c.id}) + (
          select count(*) from notice_channels o where o.account_id = ${c.accountId} and (o.kind = 'mail') = ${isMail} and o.leased_until > now()) as turn
        from work join ${c} on ${c.id} = work.id
        where ${IS_FREE} and (${c.kind} = 'mail') = ${isMail}
          and (${c.sealed} is null or split_part(${c.sealed}, '.', 2) = any(${keys})) group by ${c.id}),
      next as (
        select ${c.id} as id from ${c} join turns on turns.id = ${c.id}
        where turn <= ${OF_ACCOUNT} and ${IS_FREE} order by turn, at limit ${most} for update of c skip locked)
    update ${c} set leased_until = now() + interval '${LEASE} ms', claim = ${c.claim} + 1 from next where ${c.id} = next.id
    returning ${c.id} as "id", ${c.claim} as "claim"`,
  }),
);

/** Claims channels with something to send, `most` at most: of mail or the others, and those that `keys`, by their ids, open. */
export function claimChannels(isMail: boolean, most: number, keys: readonly string[]): Promise<Claim[]> {
  return query(CLAIM, { isMail, most, keys });
}

// A notice that is made meanwhile does not wait for this lock.
const CHANNEL = statement({ id: int, claim: int }, ({ id, claim }) =>
  select(
    {
      ...{ id: c.id, accountId: c.accountId, kind: c.kind, sealed: c.sealed, email: c.email, heldFor: c.heldFor },
      ...{ confirmedAt: c.confirmedAt, offAt: c.offAt, offReason: c.offReason, failingSince: c.failingSince },
      ...{ disabledAt: a.disabledAt, zone: a.timeZone, now: new Expression<Date>("now()", "instant") },
      leasedUntil: new Expression<Date>(c.leasedUntil.sql, "instant"),
      ...{ quietFrom: t.quietFrom, quietTo: t.quietTo, quietZone: t.quietZone },
    },
    `from ${c} join ${a} on ${a.id} = ${c.accountId} left join ${t} on ${t.accountId} = ${a.id}
      where ${c.id} = ${id} and ${c.claim} = ${claim} and ${c.leasedUntil} > now() for no key update of c`,
  ),
);

/** A channel as it is now, which the transaction has locked. Times in epoch milliseconds. */
export type Channel = RowOfStatement<typeof CHANNEL>;

/** Does in one transaction what a claim allows. Null: it has run out, or the channel is gone. */
export function whileClaimed<Result>(
  { id, claim }: Claim,
  work: (tx: Prisma.TransactionClient, channel: Channel) => Promise<Result>,
): Promise<Result | null> {
  return db.$transaction(
    async (tx) => {
      const [channel] = await queryIn(tx, CHANNEL, { id, claim });
      return channel ? work(tx, channel) : null;
    },
    // Each statement has its own bound, and ten thousand rows may be due.
    { timeout: LEASE / 2 },
  );
}

/** Of a channel that nothing holds. */
export const NOT_HELD = { heldUntil: null, heldFor: null };

/** Gives a channel back, with what has changed of it. */
export async function giveBack(
  tx: Prisma.TransactionClient,
  id: number,
  data: Prisma.NoticeChannelUncheckedUpdateInput = {},
): Promise<null> {
  await tx.noticeChannel.update({ where: { id }, data: { ...data, leasedUntil: null } });
  return null;
}

const LOCK_DUE = statement({ channelId: int, message: parameter<string | null>("uuid") }, ({ channelId, message }) =>
  select(
    { id: n.id, attempts: n.attempts, messageId: n.messageId },
    `from ${n} where ${n.channelId} = ${channelId} and ${n.state} = 'due'
      and (${message} is null or ${n.messageId} = ${message} or ${n.messageId} is null and ${n.attempts} > 0)
      order by ${n.id} for update`,
  ),
);

/** Locks what a message tells and what has failed before, or with null all that waits: in the order of ids, as wherever many are. */
export function lockDue(tx: Prisma.TransactionClient, channelId: number, message: string | null) {
  return queryIn(tx, LOCK_DUE, { channelId, message });
}
