import { randomBytes } from "node:crypto";
import { db, type Prisma } from "@/lib/database/client";
import { lockAccount } from "@/lib/database/locks";
import { queryIn } from "@/lib/database/run-statement";
import { statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { DAY, HOUR } from "@/lib/format/time";
import { sendConfirmation } from "@/lib/notices/channels/mail";
import { consoleAddress } from "@/lib/notices/console-address";
import { CONFIRM_ADDRESS } from "@/lib/page-paths";
import { runInBackground } from "@/lib/process/background";
import { env } from "@/lib/process/env";
import { logRepeated } from "@/lib/process/repeated.mjs";
import { hashToken } from "@/lib/tokens/format";

/** The link in a mail works for this long, in milliseconds, and once. */
const CONFIRM_WITHIN = 48 * HOUR;
/** Mails in a day that ask whether an address is right: to one address over all accounts, and of one account. */
const MAX_ASKED = { ofAddress: 3, ofAccount: 10 };

const KEY_BYTES = 32;

const c = table("NoticeConfirmation", "c");

const LOCK_ADDRESS = statement({ emailHash: c.emailHash }, ({ emailHash }) => ({
  sql: `select pg_advisory_xact_lock(hashtextextended(${emailHash}, 1))::text as locked`,
}));

type Asked =
  /** Whether a mail goes out is not said: it would tell that others asked for the same address. */
  { kind: "asked" } | { kind: "too-many" } | { kind: "not-found" };

/** Asks by mail whether the address of a channel is right. The answer does not wait for the mail. */
export async function askForConfirmation(accountId: number, channelId: number, now: Date = new Date()): Promise<Asked> {
  const { mail } = env;
  if (!mail) return { kind: "not-found" };
  const key = randomBytes(KEY_BYTES).toString("base64url");
  const result = await db.$transaction(async (tx): Promise<Asked & { email?: string; id?: number }> => {
    await lockAccount(tx, accountId);
    const where = { id: channelId, accountId, kind: "mail", confirmedAt: null };
    const channel = await tx.noticeChannel.findFirst({ where, select: { email: true } });
    if (!channel?.email) return { kind: "not-found" };
    const { email } = channel;
    const emailHash = hashToken(email);
    await queryIn(tx, LOCK_ADDRESS, { emailHash });
    const sentAt = { gt: new Date(now.getTime() - DAY) };
    const [ofAccount, ofAddress] = [
      await tx.noticeConfirmation.count({ where: { accountId, sentAt } }),
      await tx.noticeConfirmation.count({ where: { emailHash, sentAt } }),
    ];
    if (ofAccount >= MAX_ASKED.ofAccount) return { kind: "too-many" };
    if (ofAddress >= MAX_ASKED.ofAddress) return { kind: "asked" };
    const { id } = await tx.noticeConfirmation.create({
      data: { accountId, emailHash, sentAt: now } satisfies Prisma.NoticeConfirmationUncheckedCreateInput,
      select: { id: true },
    });
    await tx.noticeChannel.update({
      where: { id: channelId },
      data: { confirmHash: hashToken(key), confirmSentAt: now },
    });
    return { kind: "asked", email, id };
  });
  const { email, id } = result;
  if (email !== undefined) {
    const link = `${consoleAddress()}${CONFIRM_ADDRESS}?key=${key}`;
    runInBackground("asking for a confirmation", async () => {
      const question = { email, link, id: `confirmation-${id}`, server: mail };
      const outcome = await sendConfirmation(question, new AbortController().signal);
      if (outcome.kind === "delivered") return;
      logRepeated({ level: "error", event: "mail not sent", reason: outcome.reason }, { reason: outcome.reason });
    });
  }
  return { kind: result.kind };
}

/** Confirms the address whose mail held this key. False: the link was used, is too old, or was replaced by a newer one. */
export async function confirmAddress(key: string, now: Date = new Date()): Promise<boolean> {
  const confirmSentAt = { gt: new Date(now.getTime() - CONFIRM_WITHIN) };
  const { count } = await db.noticeChannel.updateMany({
    where: { confirmHash: hashToken(key), confirmSentAt, confirmedAt: null },
    data: { confirmedAt: now, confirmHash: null },
  });
  return count > 0;
}

/** What a channel says whose reader unsubscribed. */
const UNSUBSCRIBED = "Its reader unsubscribed.";

/** Turns off the channel whose mails hold this key. False: there is no such channel. Twice is as good as once. */
export async function unsubscribe(key: string, now: Date = new Date()): Promise<boolean> {
  const unsubscribeHash = hashToken(key);
  await db.noticeChannel.updateMany({
    where: { unsubscribeHash, offAt: null },
    data: { offAt: now, offReason: UNSUBSCRIBED },
  });
  return (await db.noticeChannel.count({ where: { unsubscribeHash } })) > 0;
}
