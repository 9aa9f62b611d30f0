import { db, type Prisma } from "@/lib/database/client";
import { lockAccount } from "@/lib/database/locks";
import { HOUR, MINUTE } from "@/lib/format/time";
import { deliver } from "@/lib/notices/channels/deliver";
import type { Message, Outcome } from "@/lib/notices/message";
import { NOTICE_PAGE } from "@/lib/page-paths";
import { runInBackground } from "@/lib/process/background";

/** Tests of an account in an hour, over all its channels. */
export const MAX_TESTS = 20;
/** Longer than any attempt takes. */
const LEASE = MINUTE;
/** What the table takes. */
const MAX_REASON = 400;

type TestResult = "sent" | "too-many" | "not-found" | "not-on";

/**
 * Sends a test by a channel of the account. The answer does not wait for the receiver: what became of it is then listed with
 * the deliveries of the channel.
 */
export async function sendTest(accountId: number, channelId: number, now: Date = new Date()): Promise<TestResult> {
  const prepared = await db.$transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const channel = await tx.noticeChannel.findFirst({ where: { id: channelId, accountId } });
    if (!channel) return "not-found";
    if (channel.confirmedAt === null || channel.offAt !== null) return "not-on";
    const since = new Date(now.getTime() - HOUR);
    const where = { accountId, kind: "test", createdAt: { gt: since } };
    if ((await tx.notice.count({ where })) >= MAX_TESTS) return "too-many";
    const id = crypto.randomUUID();
    await tx.notice.create({
      data: { id, accountId, kind: "test", thread: id, createdAt: now } satisfies Prisma.NoticeUncheckedCreateInput,
    });
    const delivery = await tx.noticeDelivery.create({
      data: {
        noticeId: id,
        channelId,
        accountId,
        dueAt: now,
        attemptAt: now,
        attempts: 1,
        // If this process ends, another instance sends it when it is due.
        leasedUntil: new Date(now.getTime() + LEASE),
      } satisfies Prisma.NoticeDeliveryUncheckedCreateInput,
      select: { id: true },
    });
    return { channel, delivery: delivery.id, message: testMessage(id, accountId, channel.name) };
  });
  if (typeof prepared === "string") return prepared;
  const { channel, delivery, message } = prepared;
  runInBackground("sending a test", async () => {
    const outcome = await deliver(channel, message, { id: delivery, signal: new AbortController().signal });
    await db.noticeDelivery.updateMany({ where: { id: delivery, state: "due" }, data: endOf(outcome) });
    if (outcome.kind === "delivered") {
      await db.noticeChannel.updateMany({ where: { id: channelId }, data: { failingSince: null } });
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
    const id = crypto.randomUUID();
    const message = testMessage(id, accountId, channel.name);
    const outcome = await deliver(channel, message, { id, signal: AbortSignal.timeout(LEASE) });
    tested.push({ channel: channel.name, shown: channel.email ?? channel.host ?? "", outcome });
  }
  return tested;
}

/** A test is tried once: its owner waits for the answer and can send another. */
function endOf(outcome: Outcome) {
  const ended = { endedAt: new Date(), leasedUntil: null };
  if (outcome.kind === "delivered") return { ...ended, state: "delivered", reason: outcome.note ?? null };
  return { ...ended, state: "undelivered", reason: outcome.reason.slice(0, MAX_REASON) };
}

function testMessage(id: string, account: number, name: string): Message {
  return {
    id,
    account,
    title: `Test of the channel ${name}`,
    lines: ["This channel works. What happens to your servers is told here."],
    events: [{ kind: "test" }],
    link: NOTICE_PAGE,
    thread: id,
    at: new Date().toISOString(),
  };
}
