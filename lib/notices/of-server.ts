import { db } from "@/lib/database/client";
import { DAY, HOUR } from "@/lib/format/time";

/** For how long a snoozed server sends no new notice, in milliseconds. */
const SNOOZES: Readonly<Record<string, number>> = { "1h": HOUR, "8h": 8 * HOUR };

export type ServerNotices = {
  /** Whether there is a channel by which the account is told anything. */
  hasChannel: boolean;
  /** The latest that goes on or ended within a day, if it was told: by which kinds of channels, and when it arrived. */
  told: { by: string[]; at: Date } | null;
  snooze: { until: Date } | null;
};

/** The notices of a server that were sent, and whether a new one will be. */
export async function noticesOf(accountId: number, serverId: number, now: Date): Promise<ServerNotices> {
  const told = { accountId, subject: "server", subjectId: serverId, tells: "begin", state: "told" };
  const [channels, last, snooze] = await Promise.all([
    db.noticeChannel.count({ where: { accountId, confirmedAt: { not: null }, offAt: null } }),
    db.notice.findFirst({
      where: { ...told, OR: [{ endedAt: null }, { endedAt: { gt: new Date(now.getTime() - DAY) } }] },
      select: { eventId: true },
      orderBy: { startedAt: "desc" },
    }),
    db.serverSnooze.findFirst({
      where: { serverId, server: { accountId }, until: { gt: now } },
      select: { until: true },
    }),
  ]);
  const arrived = last
    ? await db.notice.findMany({
        where: { ...told, eventId: last.eventId, settledAt: { not: null } },
        select: { settledAt: true, channel: { select: { kind: true } } },
        orderBy: { settledAt: "asc" },
      })
    : [];
  const at = arrived[0]?.settledAt;
  const by = [...new Set(arrived.map(({ channel }) => channel.kind))];
  return { hasChannel: channels > 0, told: at ? { by, at } : null, snooze };
}

/** Tells nothing new of a server for a while. False: the account has no such server, or there is no such while. */
export async function snoozeServer(
  accountId: number,
  serverId: number,
  length: string,
  now: Date = new Date(),
): Promise<boolean> {
  const lasts = Object.hasOwn(SNOOZES, length) ? SNOOZES[length] : undefined;
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
    data: { nextAt: new Date(), waitsFor: null },
  });
}
