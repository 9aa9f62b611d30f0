import { randomUUID } from "node:crypto";
import {
  newAccount,
  newGameService,
  newNamedToken,
  newReportingServer,
  newServer,
  PASSWORD,
} from "@/e2e/support/factories";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { db, type Prisma } from "@/lib/database/client";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { wallClock } from "@/lib/format/time-zone";
import type { GameServiceStatus } from "@/lib/generated/prisma/enums";
import { NOTICE_KINDS } from "@/lib/notices/kinds";
import { MAX_ACTIVE_TOKENS } from "@/lib/tokens/management";

export type Person = { email: string; password: string };

type Collector = Person & { server: number; service: number; token: number };

const SERVERS = 120;
/** Of this many servers one is offline, another strained, another critical. */
const EVERY = 12;
const ILL: readonly number[] = [0, 1, 2];
/** As long as a name may be, in one piece and in many words. */
const LONG_NAMES = ["W".repeat(64), "A server with a name of many words that goes on until no more fit"];
const LONG_HOSTNAME = `${"w".repeat(63)}.${"x".repeat(63)}.example.com`;
const FAILED = {
  status: "failed",
  configVersion: 2,
  error:
    "frankfurt-1: The origin [2001:db8:85a3:8d3:1319:8a2e:370:7348]:25565 did not answer. Players still reach version 1.",
} as const;
const LONG_IP = "2001:db8:85a3:8d3:1319:8a2e:370:7348";

/** An account that has nothing. */
export async function makeNewcomer(): Promise<Person> {
  const { email } = await newAccount();
  await db.accessToken.deleteMany({ where: { account: { email } } });
  return { email, password: PASSWORD };
}

/** An account whose only server never checked in. */
export async function makeBeginner(): Promise<Person> {
  const { id, email } = await newAccount();
  await newServer(id, { label: "First server", hostname: "first.example.com" });
  return { email, password: PASSWORD };
}

/** An account whose servers all need somebody: of each kind one. */
export async function makeUnlucky(): Promise<Person> {
  const { id, email } = await newAccount();
  for (const index of ILL) await makeServer(id, index);
  return { email, password: PASSWORD };
}

/** An account that has as much as it may, with the longest names. */
export async function makeCollector(): Promise<Collector> {
  const { id, email } = await newAccount();
  await db.accessToken.deleteMany({ where: { accountId: id } });
  await db.account.update({ where: { id }, data: { name: "Wolfeschlegelsteinhausenbergerdorff ".repeat(2).trim() } });
  const servers = [];
  for (let index = 0; index < SERVERS; index++) servers.push(await makeServer(id, index));
  const services = [];
  for (const name of [...LONG_NAMES, "Survival", "Lobby", "Creative"]) {
    const javaHostname =
      name === LONG_NAMES[0] ? LONG_HOSTNAME : `${name.slice(0, 8).replace(" ", "-")}.example.net`.toLowerCase();
    services.push(await newGameService(id, { name: name.slice(0, 64), javaHostname, originHost: LONG_IP }));
  }
  if (services[1]) {
    const startedAt = new Date(Date.now() - 3 * HOUR);
    await db.serviceEvent.create({ data: { serviceId: services[1].id, kind: "unserved", startedAt } });
  }
  const tokens = [];
  for (let index = 0; index < MAX_ACTIVE_TOKENS; index++) tokens.push(await makeToken(id, index));
  if (servers[0]) await makeNotices(id, servers[0]);
  if (servers[0]) await makeUptime(servers[0]);
  await db.session.createMany({
    data: Array.from({ length: 12 }, (_, index) => ({
      tokenHash: `${index}`.padStart(64, "0"),
      accountId: id,
      ip: LONG_IP,
      userAgent:
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
      expiresAt: new Date(Date.now() + 20 * DAY),
    })),
  });
  return { email, password: PASSWORD, server: servers[0] ?? 0, service: services[0]?.id ?? 0, token: tokens[0] ?? 0 };
}

/**
 * The servers that are online stay so, however long the pictures take: if all fell silent at once, the console would not know
 * of any server whether it is offline. The service that failed stays so, and the one that no live edge node has: the demo's
 * nodes serve all there are. Its password is asked for again.
 */
export async function keepReporting(email: string): Promise<void> {
  const account = { email };
  const isOnline = { gt: new Date(Date.now() - HOUR) };
  await db.server.updateMany({ where: { account, lastSeenAt: isOnline }, data: { lastSeenAt: new Date() } });
  await db.gameService.updateMany({ where: { account, javaHostname: LONG_HOSTNAME }, data: FAILED });
  await db.serviceEvent.updateMany({ where: { service: { account }, kind: "unserved" }, data: { endedAt: null } });
  await db.session.updateMany({ where: { account }, data: { authenticatedAt: new Date(0) } });
}

async function makeServer(accountId: number, index: number): Promise<number> {
  const label = LONG_NAMES[index] ?? `game-${String(index).padStart(3, "0")}`;
  const createdAt = new Date(Date.now() - (index + 2) * DAY);
  const names = { label: label.slice(0, 64), hostname: index === 0 ? LONG_HOSTNAME : `${index}.games.example.com` };
  const tags = ["production", `rack-${index % 14}`, ...(index % 3 === 0 ? ["minecraft", "frankfurt am main"] : [])];
  const times = { createdAt, lastSeenAt: createdAt };
  const { id } = await newReportingServer(accountId, { ...names, publicIp: LONG_IP, tags, ...times });
  const kind = index % EVERY;
  if (kind === EVERY - 1) return id;
  const isStrained = kind === 0 || kind === 1;
  await recordCheckIn(
    id,
    {
      publicIp: LONG_IP,
      sample: {
        cpuPct: isStrained ? 99 : 10 + (index % 40),
        memUsedMb: isStrained ? 16_100 : 4_000 + index * 50,
        memTotalMb: 16_384,
        diskUsedPct: kind === 1 ? 99 : 30 + (index % 50),
        netLossPct: 0,
        load5: 1.5,
        uptimeS: 90_000 * (index + 1),
      },
    },
    new Date(Date.now() - (kind === 2 ? 5 * HOUR : MINUTE)),
  );
  return id;
}

/** A channel in each state, and an outage of a server that was told by two of them. Nothing more is told. */
async function makeNotices(accountId: number, serverId: number): Promise<void> {
  const rules = Object.fromEntries(Object.keys(NOTICE_KINDS).map((kind) => [kind, { on: false }]));
  // The console that runs may have written a row of its own by now.
  await db.noticeSettings.upsert({ where: { accountId }, create: { accountId, rules }, update: { rules } });
  const confirmedAt = new Date(Date.now() - 20 * DAY);
  const channel = (kind: string, name: string, data: Partial<Prisma.NoticeChannelUncheckedCreateInput> = {}) =>
    db.noticeChannel.create({
      data: { accountId, kind, name, host: kind === "mail" ? null : "example.com", confirmedAt, ...data },
      select: { id: true },
    });
  const [mail, webhook] = await Promise.all([
    channel("mail", "On call", { email: "on-call@example.com" }),
    channel("webhook", "Status page"),
    channel("webhook", "W".repeat(64), { host: LONG_HOSTNAME, failingSince: new Date(Date.now() - HOUR) }),
    channel("discord", "Team", { host: "discord.com", offAt: new Date(), offReason: "Discord says that it is gone." }),
    channel("mail", "Not confirmed", { email: `${"w".repeat(64)}@example.com`, confirmedAt: null }),
  ]);
  const notices = [0, 1, 2, 3].map((days) => ({ id: randomUUID(), at: new Date(Date.now() - days * DAY - 3 * HOUR) }));
  for (const [index, { id, at }] of notices.entries()) {
    await db.notice.create({ data: { id, accountId, kind: "begun", thread: id, createdAt: at } });
    const content = { message: { title: `${"W".repeat(64)} is critical` }, over: [] };
    const isLost = index === 2;
    const became = isLost ? { state: "undelivered", reason: "It answered 500." } : { state: "delivered" };
    await db.noticeDelivery.createMany({
      data: [mail, webhook].map(({ id: channelId }) => ({
        ...{ noticeId: id, channelId, accountId, content, dueAt: at, attemptAt: at, endedAt: at, ...became },
      })),
    });
  }
  const [{ id: toldIn, at: startedAt }] = notices as [(typeof notices)[number]];
  await db.noticeIncident.create({
    data: {
      ...{ accountId, subject: "server", subjectId: serverId, kind: "critical" },
      ...{ startedAt, toldAt: startedAt, toldIn },
    },
  });
}

/** Months that have ended, and maintenance that is planned. */
async function makeUptime(serverId: number): Promise<void> {
  const { year, month } = wallClock(Date.now(), "UTC");
  const monthAt = (before: number) => new Date(Date.UTC(year, month - 1 - before));
  await db.uptimeSum.createMany({
    data: [1, 2, 3].map((before) => {
      const [startedAt, endedAt] = [monthAt(before), monthAt(before - 1)];
      const recordedMs = endedAt.getTime() - startedAt.getTime() - (before === 3 ? 9 * DAY : 0);
      return {
        ...{ serverId, unit: "month", zone: "UTC", startedAt, endedAt, recordedMs, carried: 0 },
        ...{ offlineMs: 31 * MINUTE * before, unreachableMs: before === 1 ? 19 * MINUTE : 0, unknownMs: 4 * MINUTE },
        ...{ maintenanceMs: before === 2 ? 2 * HOUR : 0, outages: 2 * before },
      };
    }),
  });
  const at = (hours: number) => new Date(Date.now() + hours * HOUR);
  await db.maintenanceTime.createMany({
    data: [-1, 30, 700].map((from) => ({ serverId, startedAt: at(from), endedAt: at(from + 2) })),
  });
}

async function makeToken(accountId: number, index: number): Promise<number> {
  const name = LONG_NAMES[index]?.slice(0, 64) ?? `Job ${index}`;
  const { token } = await newNamedToken(accountId, name, index % 5 === 0 ? new Date(Date.now() + 3 * DAY) : null);
  const at = new Date(Date.now() - (index + 30) * HOUR);
  await db.accessToken.update({ where: { id: token.id }, data: { createdAt: new Date(at.getTime() - 9 * DAY) } });
  if (index % 3 === 0) {
    const used = { firstUsedAt: at, firstUsedIp: LONG_IP, lastUsedAt: at, lastUsedIp: LONG_IP };
    await db.accessToken.update({ where: { id: token.id }, data: { ...used, lastUsedAgent: "x".repeat(100) } });
  }
  return token.id;
}

/** A game service in each status, of those that the account sees. */
export async function findServices(email: string): Promise<Record<GameServiceStatus, number>> {
  const seen = { OR: [{ account: { email } }, { grants: { some: { account: { email } } } }] };
  const services = await db.gameService.findMany({ where: seen, orderBy: { id: "desc" } });
  const byStatus: Partial<Record<GameServiceStatus, number>> = {};
  for (const { id, status } of services) byStatus[status] = id;
  return byStatus as Record<GameServiceStatus, number>;
}
