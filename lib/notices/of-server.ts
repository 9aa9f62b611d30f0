import { db } from "@/lib/database/client";
import { databaseNow } from "@/lib/database/clock";
import { DAY, HOUR } from "@/lib/format/time";
import { MAX_CHANNELS } from "@/lib/notices/management";

/** For how long a snoozed server sends no new notice, in milliseconds. */
const SNOOZES = new Map([
  ["1h", HOUR],
  ["8h", 8 * HOUR],
]);

export type ServerNotices = Awaited<ReturnType<typeof noticesOf>>;

/**
 * The notices of a server that were sent, and whether a new one will be. `hasChannel`: there is a channel by which the account is
 * told anything. `told`: the latest that goes on or ended within a day, by which kinds of channels, and when it arrived.
 */
export async function noticesOf(accountId: number, serverId: number, now: Date) {
  const [channels, told, snooze] = await Promise.all([
    db.noticeChannel.count({ where: { accountId, confirmedAt: { not: null }, offAt: null } }),
    db.notice.findMany({
      where: {
        ...{ accountId, subject: "server", subjectId: serverId, tells: "begin", state: "told" },
        OR: [{ endedAt: null }, { endedAt: { gt: new Date(now.getTime() - DAY) } }],
      },
      select: { eventId: true, settledAt: true, channel: { select: { kind: true } } },
      orderBy: [{ startedAt: "desc" }, { settledAt: "asc" }],
      take: MAX_CHANNELS,
    }),
    db.serverSnooze.findFirst({
      where: { serverId, server: { accountId }, until: { gt: now } },
      select: { until: true },
    }),
  ]);
  const [{ eventId, settledAt: at = null } = {}] = told;
  const by = new Set(told.filter((row) => row.eventId === eventId).map(({ channel }) => channel.kind));
  return { hasChannel: channels > 0, told: at && { by: [...by], at }, snooze };
}

/** Tells nothing new of a server for a while. False: the account has no such server, or there is no such while. */
export async function snoozeServer(
  accountId: number,
  serverId: number,
  length: string,
  now: Date = databaseNow(),
): Promise<boolean> {
  const lasts = SNOOZES.get(length);
  if (lasts === undefined || (await db.server.count({ where: { id: serverId, accountId } })) === 0) return false;
  const data = { until: new Date(now.getTime() + lasts), createdAt: now };
  await db.serverSnooze.upsert({ where: { serverId }, create: { serverId, ...data }, update: data });
  return true;
}

/** Tells again what happens to a server, and at once what waited. */
export async function endSnooze(accountId: number, serverId: number): Promise<void> {
  await db.serverSnooze.deleteMany({ where: { serverId, server: { accountId } } });
  await db.notice.updateMany({
    where: { accountId, subject: "server", subjectId: serverId, state: "due", waitsFor: "snooze" },
    data: { nextAt: databaseNow(), waitsFor: null },
  });
}
