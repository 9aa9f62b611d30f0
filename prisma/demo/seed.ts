import { type AccountRole, createAccount, setAccountDisabled } from "@/lib/accounts/accounts";
import { db } from "@/lib/database/client";
import { PlainError } from "@/lib/failures";
import { DAY, HOUR, MINUTE, startOfHour } from "@/lib/format/time";
import { recordStatus } from "@/lib/game-services/events/changes";
import { networkOf } from "@/lib/http/network";
import { API_REQUESTS } from "@/lib/rate-limit/policy";
import { finishBenchmark, requestBenchmark, startBenchmark } from "@/lib/servers/benchmarks";
import { ONLINE_WINDOW } from "@/lib/servers/events/events";
import { createServer } from "@/lib/servers/management";
import { createToken, listTokens, revokeTokens } from "@/lib/tokens/management";
import { checkIn } from "@/prisma/demo/daemons";
import {
  DEMO_ACCOUNTS,
  DEMO_RUNS,
  DEMO_SERVERS,
  DEMO_SERVICES,
  DEMO_TICKETS,
  DEMO_TOKENS,
  type DemoRun,
  type DemoService,
} from "@/prisma/demo/data";
import { reportIntervals, runNodes, writePastIntervals } from "@/prisma/demo/edge-nodes";
import { MACHINES, type Machinery } from "@/prisma/demo/machines";
import { writePast, writePastEvents } from "@/prisma/demo/past";

const DEMO_TOKEN = "demo";
/** The stopped server stopped this long before the demo was built. */
const STOPPED_FOR = 3 * HOUR;
const BENCHMARK_TAKES = 14 * MINUTE;

const EMAILS = DEMO_ACCOUNTS.map(({ email }) => email);

/** Thrown for a database with accounts that are not the demo's. Nothing in it was changed. */
class ForeignDatabaseError extends PlainError {
  override name = "ForeignDatabaseError";
}

export type DemoAccess = {
  accounts: { name: string; email: string; role: AccountRole; password: string; disabled: boolean }[];
  /** A new one of the first account. */
  token: string;
};

/** Ids by the names that the tables of the demo use: e-mail, hostname, public hostname. */
type Ids = ReadonlyMap<string, number>;

/**
 * Builds the demo in an empty database. An existing demo stays as it is; an interrupted build is removed and done again.
 * Measurements and intervals are those of the last hour: the simulator adds the rest, because nobody should wait for it.
 * In every case the first account gets a new token named "demo", which replaces the previous one.
 * @throws ForeignDatabaseError when there is any account that the demo did not make.
 */
export async function seedDemo(now: Date = new Date()): Promise<DemoAccess> {
  await refuseForeignAccounts();
  if (!(await isComplete())) {
    // Deleting the accounts deletes everything, and all accounts are the demo's.
    await db.account.deleteMany({ where: { email: { in: EMAILS } } });
    await build(now);
  }
  return {
    accounts: DEMO_ACCOUNTS.map(({ ageDays: _, ...account }) => account),
    token: await replaceDemoToken(),
  };
}

/** Whether the build finished. */
async function isComplete(): Promise<boolean> {
  return (await findBuildTime()) !== null;
}

/** When the demo was built. The tickets are written last, so their presence proves that it was. */
async function findBuildTime(): Promise<Date | null> {
  const last = DEMO_TICKETS[DEMO_TICKETS.length - 1];
  if (!last) return null;
  const ticket = await db.ticket.findFirst({
    where: { account: { email: last.owner }, subject: last.subject },
    select: { createdAt: true },
  });
  return ticket && new Date(ticket.createdAt.getTime() + last.ageDays * DAY);
}

/** Writes what `seedDemo` left for later: everything before the last hour. Nothing is written twice. */
export async function writeWholePast(now: Date, signal: AbortSignal): Promise<void> {
  const builtAt = await findBuildTime();
  if (!builtAt) return;
  for (const server of MACHINES) {
    const heardAt = lastCheckInOf(server, builtAt).getTime();
    if (!signal.aborted) await writePastEvents(server, heardAt);
    if (!signal.aborted) await writePast(server, heardAt - HOUR, signal);
  }
  for (const service of DEMO_SERVICES) await writePastIntervals(service, now, signal);
}

/** When the machine checked in last, by the time of the build. */
function lastCheckInOf({ daemon }: Machinery, builtAt: Date): Date {
  return daemon.state === "running" ? builtAt : ago(builtAt, STOPPED_FOR);
}

async function refuseForeignAccounts(): Promise<void> {
  const count = await db.account.count({ where: { email: { notIn: EMAILS } } });
  if (count === 0) return;
  throw new ForeignDatabaseError(
    `This database holds ${count === 1 ? "an account" : `${count} accounts`} that the demo did not make. ` +
      "The demo runs only in a database of its own; nothing was changed.",
  );
}

async function build(now: Date): Promise<void> {
  const accounts = await createAccounts(now);
  const firstAccount = idOf(accounts, DEMO_ACCOUNTS[0].email);
  await createTokens(firstAccount, now);
  const servers = await createServers(accounts, now);
  for (const run of DEMO_RUNS) {
    const owner = DEMO_SERVERS.find(({ hostname }) => hostname === run.hostname)?.owner ?? "";
    await createRun(run, idOf(accounts, owner), idOf(servers, run.hostname), now);
  }
  const services = await createServices(accounts, now);
  for (const server of MACHINES) {
    const at = lastCheckInOf(server, now);
    await checkIn(server, at, HOUR);
    if (server.daemon.state !== "running") await fallSilent(idOf(servers, server.hostname), at);
  }
  await runNodes(now, true);
  await keepTimes(now);
  for (const service of DEMO_SERVICES) await reportIntervals(service, now);
  await createTickets(accounts, services, now);
}

/** What the watch writes of a server that was last heard long ago. */
async function fallSilent(id: number, heardAt: Date): Promise<void> {
  const offlineSince = new Date(heardAt.getTime() + ONLINE_WINDOW);
  const { accountId } = await db.server.update({ where: { id }, data: { offlineSince }, select: { accountId: true } });
  const of = { subject: "server", subjectId: id, accountId };
  await db.event.create({ data: { ...of, kind: "offline", startedAt: offlineSince }, select: { id: true } });
}

async function createAccounts(now: Date): Promise<Ids> {
  const ids = new Map<string, number>();
  for (const { ageDays, disabled, ...account } of DEMO_ACCOUNTS) {
    const { id, email } = await createAccount(account);
    // `createAccount` always uses the current time, but the demo's accounts should look older.
    await db.account.update({ where: { id }, data: { createdAt: ago(now, ageDays * DAY) } });
    if (disabled) await setAccountDisabled(email, true);
    ids.set(email, id);
  }
  return ids;
}

/** Tokens are always created now, and used by requests: their past is written directly. */
async function createTokens(accountId: number, now: Date): Promise<void> {
  for (const { name, ageDays, expiresInDays, revokedDaysAgo, used, tried, traffic, burst } of DEMO_TOKENS) {
    const { token } = await newToken(accountId, name);
    const createdAt = ago(now, ageDays * DAY);
    await db.accessToken.update({
      where: { id: token.id },
      data: {
        createdAt,
        expiresAt: expiresInDays === null ? null : ago(now, -expiresInDays * DAY),
        revokedAt: revokedDaysAgo === null ? null : ago(now, revokedDaysAgo * DAY),
        ...(used && {
          firstUsedAt: new Date(createdAt.getTime() + HOUR),
          firstUsedIp: used.ip,
          lastUsedAt: ago(now, used.hoursAgo * HOUR),
          lastUsedIp: used.ip,
          lastUsedAgent: used.agent,
        }),
        ...(tried && {
          refusedCount: tried.count,
          lastRefusedAt: ago(now, tried.hoursAgo * HOUR),
          lastRefusedIp: tried.ip,
          lastRefusedAgent: tried.agent,
        }),
      },
    });
    const of = { subject: "token", subjectId: token.id, accountId };
    if (used && traffic) await createTraffic(of, createdAt, { ...used, ...traffic }, now);
    if (used && burst) {
      const hour = new Date(startOfHour(now.getTime() - used.hoursAgo * HOUR));
      await db.tokenUseHour.create({ data: { tokenId: token.id, hour, requests: burst, peak: burst } });
    }
    if (tried && revokedDaysAgo) {
      await createRefusals(token.id, tried.count / (revokedDaysAgo * DAY), now);
      const { count, ip, agent, hoursAgo } = tried;
      const times = { startedAt: ago(now, revokedDaysAgo * DAY - HOUR), endedAt: ago(now, hoursAgo * HOUR) };
      await db.event.create({ data: { ...of, kind: "refused_after_end", ...times, facts: { count, ip, agent } } });
    }
  }
}

/** A day of refused requests, this many in a millisecond. */
async function createRefusals(tokenId: number, rate: number, now: Date): Promise<void> {
  const thisHour = startOfHour(now.getTime());
  await db.tokenUseHour.createMany({
    data: Array.from({ length: 24 }, (_, index) => {
      const length = index === 0 ? now.getTime() - thisHour : HOUR;
      return { tokenId, hour: new Date(thisHour - index * HOUR), refused: Math.floor(rate * length) };
    }),
  });
}

type Traffic = { busiest: number; newIp: string; hoursAgo: number; ip: string; agent: string };

/** How many requests the busiest minute has beyond the limit. */
const TOO_MANY = 11;
/** How many requests came from the new ip. */
const NEW_IP_ASKED = 38;

/** Whose events they are. */
type OfToken = { subject: string; subjectId: number; accountId: number };

/**
 * A day of requests up to the last use, more by day than by night and over the limit in the busiest hour, from a known ip and a
 * new one.
 */
async function createTraffic(of: OfToken, createdAt: Date, traffic: Traffic, now: Date): Promise<void> {
  const { subjectId: tokenId } = of;
  const { busiest, hoursAgo, ip, newIp, agent } = traffic;
  const lastSeenAt = ago(now, hoursAgo * HOUR);
  const thisHour = startOfHour(lastSeenAt.getTime());
  const hours = Array.from({ length: 24 }, (_, index) => {
    const length = index === 0 ? lastSeenAt.getTime() - thisHour : HOUR;
    const ofWholeHour = busiest * (0.55 + 0.45 * Math.cos(((index - 7) / 12) * Math.PI));
    const requests = Math.ceil(ofWholeHour * (length / HOUR));
    const hour = new Date(thisHour - index * HOUR);
    if (index !== 7) return { tokenId, hour, requests, peak: Math.ceil(requests / 40) };
    return { tokenId, hour, requests, limited: TOO_MANY, peak: API_REQUESTS.limit + TOO_MANY };
  });
  await db.tokenUseHour.createMany({ data: hours });
  const ofDay = hours.reduce((sum, { requests }) => sum + requests, 0);
  const days = Math.round((lastSeenAt.getTime() - createdAt.getTime()) / DAY);
  await db.tokenVisitor.createMany({
    data: [
      {
        tokenId,
        ip,
        network: networkOf(ip),
        agent,
        firstSeenAt: new Date(createdAt.getTime() + HOUR),
        lastSeenAt,
        requests: ofDay * days,
      },
      {
        tokenId,
        ip: newIp,
        network: networkOf(newIp),
        agent,
        firstSeenAt: ago(now, 8 * HOUR),
        lastSeenAt: ago(now, HOUR),
        requests: NEW_IP_ASKED,
      },
    ],
  });
  const startedAt = ago(now, 8 * HOUR);
  await db.event.create({
    data: { ...of, kind: "new_network", startedAt, facts: { network: networkOf(newIp), agent } },
  });
}

async function createServers(accounts: Ids, now: Date): Promise<Ids> {
  const ids = new Map<string, number>();
  for (const { owner, label, hostname, ageDays } of DEMO_SERVERS) {
    const created = await createServer(idOf(accounts, owner), { label, hostname }, ago(now, ageDays * DAY));
    if (created.kind === "created") ids.set(hostname, created.id);
  }
  return ids;
}

async function createRun(run: DemoRun, accountId: number, serverId: number, now: Date): Promise<void> {
  const requestedAt = ago(now, run.hoursAgo * HOUR);
  const requested = await requestBenchmark(accountId, serverId, run.label, requestedAt);
  if (requested.kind !== "requested" || run.status === "pending") return;
  const { id } = requested;
  await startBenchmark(id);
  if (run.status === "running") return;
  const { scores, verified } = run;
  const finishedAt = new Date(requestedAt.getTime() + BENCHMARK_TAKES);
  await finishBenchmark(id, { scores, verified, log: `${run.label}: ${JSON.stringify(scores)}\n` }, finishedAt);
}

async function createServices(accounts: Ids, now: Date): Promise<Ids> {
  const ids = new Map<string, number>();
  for (const service of DEMO_SERVICES) {
    ids.set(service.javaHostname, await createService(service, accounts, now));
  }
  return ids;
}

/** Its status stays until somebody changes the service, or an edge node has it. */
async function createService(service: DemoService, accounts: Ids, now: Date): Promise<number> {
  const { name, javaHostname, originHost, originPort, status, configVersion, error, supportAccess } = service;
  const changedAt = ago(now, service.changedHoursAgo * HOUR);
  const { id } = await db.gameService.create({
    data: {
      accountId: idOf(accounts, service.owner),
      ...{ name, javaHostname, originHost, originPort, status, configVersion, error, supportAccess },
      createdAt: ago(now, service.ageDays * DAY),
      updatedAt: changedAt,
    },
    select: { id: true },
  });
  const accountId = idOf(accounts, service.owner);
  await db.$transaction((tx) => recordStatus(tx, { id, accountId, status, error }, changedAt));
  await db.serviceGrant.createMany({
    data: service.grants.map((email) => ({ serviceId: id, accountId: idOf(accounts, email), createdAt: changedAt })),
  });
  return id;
}

/** The services look as if the edge nodes had had them for long. */
async function keepTimes(now: Date): Promise<void> {
  for (const { owner, javaHostname, changedHoursAgo } of DEMO_SERVICES) {
    const updatedAt = ago(now, changedHoursAgo * HOUR);
    await db.gameService.updateMany({ where: { account: { email: owner }, javaHostname }, data: { updatedAt } });
  }
}

async function createTickets(accounts: Ids, services: Ids, now: Date): Promise<void> {
  for (const { owner, subject, javaHostname, status, ageDays } of DEMO_TICKETS) {
    const serviceId = javaHostname === null ? null : idOf(services, javaHostname);
    const createdAt = ago(now, ageDays * DAY);
    await db.ticket.create({ data: { accountId: idOf(accounts, owner), subject, serviceId, status, createdAt } });
  }
}

/** A raw token cannot be read again, so each start of the demo makes one; of the earlier ones the last stays, revoked. */
async function replaceDemoToken(): Promise<string> {
  const { id: accountId } = await db.account.findUniqueOrThrow({
    where: { email: DEMO_ACCOUNTS[0].email },
    select: { id: true },
  });
  await db.accessToken.deleteMany({ where: { accountId, name: DEMO_TOKEN, revokedAt: { not: null } } });
  const { active } = await listTokens(accountId, new Date());
  const former = active.filter(({ name }) => name === DEMO_TOKEN);
  await revokeTokens(
    accountId,
    former.map(({ id }) => id),
  );
  return (await newToken(accountId, DEMO_TOKEN)).raw;
}

async function newToken(accountId: number, name: string) {
  const result = await createToken(accountId, { name, expiresAt: null });
  if (result.kind !== "created") throw new Error(`The demo's token "${name}" was not created: ${result.kind}.`);
  return result;
}

function ago(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms);
}

function idOf(ids: Ids, name: string): number {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`The demo's tables name "${name}", which is in none of them.`);
  return id;
}
