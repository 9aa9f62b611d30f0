import { randomBytes } from "node:crypto";
import { db } from "@/lib/database/client";
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

/** Whether a mail goes out is not said: it would tell that others asked for the same address. */
type Asked = "asked" | "too-many" | "not-found";

/** Counts for an account alone: no mail went out. */
const NO_ADDRESS = "";

/** Asks by mail whether the address of a channel is right. The answer does not wait for the mail. */
export async function askForConfirmation(accountId: number, channelId: number, now: Date = new Date()): Promise<Asked> {
  const { mail } = env;
  if (!mail) return "not-found";
  const key = randomBytes(KEY_BYTES).toString("base64url");
  const asked = await db.$transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const where = { id: channelId, accountId, kind: "mail", confirmedAt: null };
    const channel = await tx.noticeChannel.findFirst({ where, select: { email: true } });
    if (!channel?.email) return "not-found";
    const { email } = channel;
    const emailHash = hashToken(email);
    await queryIn(tx, LOCK_ADDRESS, { emailHash });
    const sentAt = { gt: new Date(now.getTime() - DAY) };
    const ofAccount = await tx.noticeConfirmation.count({ where: { accountId, sentAt } });
    const ofAddress = await tx.noticeConfirmation.count({ where: { emailHash, sentAt } });
    if (ofAccount >= MAX_ASKED.ofAccount) return "too-many";
    const isSent = ofAddress < MAX_ASKED.ofAddress;
    const data = { accountId, emailHash: isSent ? emailHash : NO_ADDRESS, sentAt: now };
    const { id } = await tx.noticeConfirmation.create({ data, select: { id: true } });
    const question = isSent && { confirmHash: hashToken(key), confirmSentAt: now };
    const again = { offAt: null, offReason: null, failingSince: null, ...question };
    await tx.noticeChannel.update({ where: { id: channelId }, data: again });
    return isSent ? { email, id } : "asked";
  });
  if (typeof asked === "string") return asked;
  const link = `${consoleAddress()}${CONFIRM_ADDRESS}?key=${key}`;
  runInBackground("asking for a confirmation", async () => {
    const question = { email: asked.email, link, id: `confirmation-${asked.id}`, server: mail };
    const outcome = await sendConfirmation(question, new AbortController().signal);
    if (outcome.kind === "delivered") return;
    const { reason } = outcome;
    logRepeated({ level: "error", event: "mail not sent", reason }, { reason });
    await db.noticeChannel.updateMany({
      where: { id: channelId, confirmHash: hashToken(key), confirmedAt: null },
      data: { failingSince: new Date(), offReason: reason },
    });
  });
  return "asked";
}

/**
 * Confirms the address whose mail held this key. "already": this link has done so before, perhaps by a double click. "stale": it
 * is too old, was replaced by a newer one, or its reader unsubscribed since.
 */
export async function confirmAddress(key: string, now: Date = new Date()): Promise<"confirmed" | "already" | "stale"> {
  const confirmSentAt = { gt: new Date(now.getTime() - CONFIRM_WITHIN) };
  const where = { confirmHash: hashToken(key), confirmSentAt };
  const { count } = await db.noticeChannel.updateMany({
    where: { ...where, confirmedAt: null },
    data: { confirmedAt: now, failingSince: null, offReason: null },
  });
  if (count > 0) return "confirmed";
  return (await db.noticeChannel.count({ where })) > 0 ? "already" : "stale";
}

/** What a channel says whose reader unsubscribed. */
const UNSUBSCRIBED = "Its reader unsubscribed. It stays off until they confirm again.";

/**
 * Turns off the channel whose mails hold this key, until its address is confirmed anew. False: there is no such channel. Twice
 * is as good as once.
 */
export async function unsubscribe(key: string, now: Date = new Date()): Promise<boolean> {
  const unsubscribeHash = hashToken(key);
  await db.noticeChannel.updateMany({
    where: { unsubscribeHash, confirmedAt: { not: null } },
    data: { offAt: now, offReason: UNSUBSCRIBED, confirmedAt: null, confirmHash: null, failingSince: null },
  });
  return (await db.noticeChannel.count({ where: { unsubscribeHash } })) > 0;
}
