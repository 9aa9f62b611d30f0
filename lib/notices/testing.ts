import { db } from "@/lib/database/client";
import { databaseNow } from "@/lib/database/clock";
import { lockAccount } from "@/lib/database/locks";
import { HOUR } from "@/lib/format/time";
import { deliver } from "@/lib/notices/channels/deliver";
import { LEASE } from "@/lib/notices/claims";
import type { Message, Outcome } from "@/lib/notices/message";
import { NOTICE_PAGE } from "@/lib/page-paths";
import { runInBackground } from "@/lib/process/background";

/** Tests of an account in an hour, over all its channels. */
export const MAX_TESTS = 20;

type TestResult = "sent" | "too-many" | "not-found" | "not-on";

/**
 * Sends a test by a channel of the account. The answer does not wait for the receiver: what became of it is then listed with
 * the deliveries of the channel.
 */
export async function sendTest(accountId: number, channelId: number, now: Date = databaseNow()): Promise<TestResult> {
  const prepared = await db.$transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const channel = await tx.noticeChannel.findFirst({ where: { id: channelId, accountId } });
    if (!channel) return "not-found";
    if (channel.confirmedAt === null || channel.offAt !== null) return "not-on";
    const where = { accountId, isTest: true, createdAt: { gt: new Date(now.getTime() - HOUR) } };
    if ((await tx.noticeMessage.count({ where })) >= MAX_TESTS) return "too-many";
    const message = testMessage(channel.name);
    // If this process ends, another instance sends it then.
    const nextAt = new Date(now.getTime() + LEASE);
    await tx.noticeMessage.create({
      data: { id: message.id, channelId, accountId, isTest: true, content: message, createdAt: now, nextAt },
    });
    return { channel, message };
  });
  if (typeof prepared === "string") return prepared;
  const { channel, message } = prepared;
  runInBackground("sending a test", async () => {
    const outcome = await deliver(channel, message, new AbortController().signal);
    const isDelivered = outcome.kind === "delivered";
    const reason = (isDelivered ? outcome.note : outcome.reason) ?? null;
    // A test is tried once: its owner waits for the answer and can send another.
    await db.noticeMessage.updateMany({
      where: { id: message.id, state: "due" },
      data: { state: isDelivered ? "delivered" : "failed", reason, endedAt: databaseNow() },
    });
    if (isDelivered) {
      const data = { failingSince: null, offReason: null };
      await db.noticeChannel.updateMany({ where: { id: channelId, offAt: null }, data });
    }
  });
  return "sent";
}

/** What became of a test by one channel. */
type Tested = { channel: string; shown: string; outcome: Outcome };

/** Sends a test by each channel of the account that is on, one after the other, and waits for what becomes of it. For operators. */
export async function testChannels(accountId: number): Promise<Tested[]> {
  const where = { accountId, confirmedAt: { not: null }, offAt: null };
  const tested: Tested[] = [];
  for (const channel of await db.noticeChannel.findMany({ where, orderBy: { id: "asc" } })) {
    const outcome = await deliver(channel, testMessage(channel.name), AbortSignal.timeout(LEASE));
    tested.push({ channel: channel.name, shown: channel.email ?? channel.host ?? "", outcome });
  }
  return tested;
}

function testMessage(name: string) {
  return {
    id: crypto.randomUUID(),
    title: `Test of the channel ${name}`,
    lines: ["This channel works. What happens to your servers is told here."],
    events: [{ kind: "test" }],
    link: NOTICE_PAGE,
    at: new Date().toISOString(),
  } satisfies Message;
}
