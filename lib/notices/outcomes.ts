import { executeIn } from "@/lib/database/run-statement";
import { parameter, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { DAY, SECOND } from "@/lib/format/time";
import { isOfServer } from "@/lib/notices/channels/mail";
import { type Claim, giveBack, lockDue, NOT_HELD, whileClaimed } from "@/lib/notices/claims";
import { CHANNEL_OFF } from "@/lib/notices/kinds";
import type { Outcome } from "@/lib/notices/message";
import type { Sent } from "@/lib/notices/next-message";
import { COLUMNS } from "@/lib/notices/rows";

// What became of an attempt is written while the claim is still the last one.

/** Channels whose receivers have failed for so long are turned off. */
const OFF_AFTER = DAY;
/** Waits between attempts, in seconds; after the last one a notice has failed. */
const WAITS = [10, 60, 600, 3600, 21_600];
const ATTEMPTS = WAITS.length + 1;

const c = table("NoticeChannel", "c");

/** Waits differ a little, so that what failed together does not come back together. */
const waitAfter = (attempts: number) => (WAITS[attempts - 1] ?? 0) * SECOND * (1 + Math.random() * 0.05);

/** Writes that a message has arrived. What failed there before is tried at once. */
export async function endDelivered(claim: Claim, { message }: Sent, note: string | null): Promise<void> {
  await whileClaimed(claim, async (tx, { id, now, offAt, offReason }) => {
    const at = new Date(now);
    await lockDue(tx, id, message.id);
    await tx.notice.updateMany({
      where: { messageId: message.id },
      data: { state: "told", reason: null, settledAt: at },
    });
    await tx.notice.updateMany({
      where: { channelId: id, state: "due", messageId: null, attempts: { gt: 0 } },
      data: { nextAt: at },
    });
    await tx.noticeMessage.updateMany({
      where: { id: message.id },
      data: { state: "delivered", reason: note, endedAt: at },
    });
    await giveBack(tx, id, { failingSince: null, offReason: offAt === null ? null : offReason });
  });
}

const TELL_OTHERS = statement({ id: parameter<number>("int") }, ({ id }) => ({
  sql: `insert into notices (${COLUMNS})
    select o.id, o.account_id, 'channel', ${c.id}, extract(epoch from ${c.offAt})::int, 'begin', '${CHANNEL_OFF}', ${c.name}, ${c.offAt}, ${c.offAt}, now(), now()
    from ${c} join notice_channels o on o.account_id = ${c.accountId} and o.id <> ${c.id} and o.off_at is null and o.confirmed_at is not null
    where ${c.id} = ${id} on conflict do nothing`,
}));

/**
 * Writes that an attempt has failed. True: a notice is given up. If the channel is turned off for it, the others of its account
 * tell so.
 */
export function endFailed(claim: Claim, sent: Sent, outcome: Exclude<Outcome, { kind: "delivered" }>) {
  const { message, attempts, isRepeat } = sent;
  const { reason } = outcome;
  const isRefused = outcome.kind === "refused";
  const after = isRefused ? undefined : outcome.afterSeconds;
  // What may have arrived is sent again as it is. Of another one the notices wait for a new message, each for its own attempts.
  const isKept = isRepeat || isRefused || outcome.arrived !== "no";
  const isLast = (begun: number) => isRefused || begun >= ATTEMPTS;
  return whileClaimed(claim, async (tx, { id, now, offAt, offReason, failingSince }) => {
    const at = new Date(now);
    const rows = (await lockDue(tx, id, message.id)).filter(({ messageId }) => messageId === message.id);
    let isGivenUp = false;
    for (const before of new Set(rows.map((row) => row.attempts))) {
      const isOver = isLast(isKept ? attempts : before + 1);
      isGivenUp ||= isOver;
      await tx.notice.updateMany({
        where: { id: { in: rows.filter((row) => row.attempts === before).map((row) => row.id) } },
        data: {
          ...{ attempts: before + 1, reason },
          ...(isOver
            ? { state: "failed", settledAt: at }
            : { nextAt: new Date(now + waitAfter(before + 1)), messageId: isKept ? message.id : null }),
        },
      });
    }
    const where = { id: message.id };
    const ended = { reason, endedAt: at };
    if (isGivenUp || (isKept && isLast(attempts)))
      await tx.noticeMessage.update({ where, data: { ...ended, state: "failed" } });
    else if (isKept)
      await tx.noticeMessage.update({ where, data: { ...ended, nextAt: new Date(now + waitAfter(attempts)) } });
    else await tx.noticeMessage.delete({ where });
    // What the operator's mail server fails to send says nothing of the receiver, whose day begins after it.
    const isOperators = isOfServer(reason);
    const begins = !isOperators && offReason !== null && isOfServer(offReason);
    const since = begins ? now : (failingSince ?? now);
    const isOff = offAt === null && (isRefused || (!isOperators && since < now - OFF_AFTER));
    await giveBack(tx, id, {
      failingSince: new Date(since),
      ...(after === undefined ? NOT_HELD : { heldUntil: new Date(now + after * SECOND), heldFor: "receiver" }),
      ...(offAt === null && { offReason: reason }),
      ...(isOff && { offAt: at }),
    });
    if (isOff) await executeIn(tx, TELL_OTHERS, { id });
    return isGivenUp;
  });
}
