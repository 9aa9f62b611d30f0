import { db } from "@/lib/database/client";
import { DAY, HOUR } from "@/lib/format/time";

/** For how long nothing new is told of a server, in milliseconds; null: until it has recovered. */
const SNOOZES: Readonly<Record<string, number | null>> = {
  "1h": HOUR,
  "8h": 8 * HOUR,
  recovery: null,
};

export type ServerNotices = {
  /** Whether there is a channel by which the account is told anything. */
  hasChannel: boolean;
  /** The latest outage that goes on or ended within a day, if it was told: by which kinds of channels, and when it arrived. */
  told: { by: string[]; at: Date } | null;
  /** Something goes on of which the account is told, or was. */
  isGoingOn: boolean;
  /** `until` is null until it has recovered. */
  snooze: { until: Date | null } | null;
};

/** What the owner of a server was told of it, and whether anything new will be told. */
export async function noticesOf(accountId: number, serverId: number, now: Date): Promise<ServerNotices> {
  const since = new Date(now.getTime() - DAY);
  const [channels, goingOn, incident, snooze] = await Promise.all([
    db.noticeChannel.count({ where: { accountId, confirmedAt: { not: null }, offAt: null } }),
    db.noticeIncident.count({ where: { subject: "server", subjectId: serverId, accountId, lookAt: { not: null } } }),
    db.noticeIncident.findFirst({
      where: {
        subject: "server",
        subjectId: serverId,
        accountId,
        toldIn: { not: null },
        OR: [{ endedAt: null }, { endedAt: { gt: since } }],
      },
      select: { toldIn: true },
      orderBy: { startedAt: "desc" },
    }),
    db.serverSnooze.findFirst({
      where: { serverId, server: { accountId }, OR: [{ until: null }, { until: { gt: now } }] },
      select: { until: true },
    }),
  ]);
  const isGoingOn = goingOn > 0;
  return {
    hasChannel: channels > 0,
    told: incident?.toldIn ? await arrivals(incident.toldIn) : null,
    isGoingOn,
    // One without an end is over with what it was for. The sweep deletes it.
    snooze: snooze?.until === null && !isGoingOn ? null : snooze,
  };
}

async function arrivals(noticeId: string): Promise<ServerNotices["told"]> {
  const delivered = await db.noticeDelivery.findMany({
    where: { noticeId, state: "delivered", endedAt: { not: null } },
    select: { endedAt: true, channel: { select: { kind: true } } },
    orderBy: { endedAt: "asc" },
  });
  const at = delivered[0]?.endedAt;
  return at ? { by: [...new Set(delivered.map(({ channel }) => channel.kind))], at } : null;
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
  const data = { until: lasts === null ? null : new Date(now.getTime() + lasts), createdAt: now };
  await db.serverSnooze.upsert({ where: { serverId }, create: { serverId, ...data }, update: data });
  return true;
}

/** Tells again what happens to a server. */
export async function endSnooze(accountId: number, serverId: number): Promise<void> {
  await db.serverSnooze.deleteMany({ where: { serverId, server: { accountId } } });
}
