import { randomBytes, randomInt, scryptSync } from "node:crypto";
import { setAccountDisabled } from "@/lib/accounts/accounts";
import { db, type Prisma } from "@/lib/database/client";
import { makeDay } from "@/lib/database/partitions";
import { DAY, HOUR } from "@/lib/format/time";
import { recordStatus } from "@/lib/game-services/events/changes";
import type { AccountRole } from "@/lib/generated/prisma/enums";
import { presentScore, rateSample } from "@/lib/servers/health-score";
import { removeServer } from "@/lib/servers/management";
import { replaceServerKey } from "@/lib/servers/server-keys";
import { GRID, type RatedBy } from "@/lib/servers/telemetry/check-ins";
import { eachMeasurement, rolledUpValues, type Sample, storedOf } from "@/lib/servers/telemetry/measurements";
import { hashToken, mintToken } from "@/lib/tokens/format";
import { createToken, type TokenRecord } from "@/lib/tokens/management";
import { WELL } from "./record-check-in";

// Test data, created by production functions where they exist. All values are unique, so tests never see each other's
// rows.

export type TestAccount = { id: number; name: string; email: string; role: AccountRole; token: string };

export const PASSWORD = "correct horse battery";
/** Uses a minimal cost. The console reads the cost from each hash; its own hashes take a fifth of a second of a core. */
export const PASSWORD_HASH = `scrypt$2$1$1$AAAA$${scryptSync(PASSWORD, Buffer.from("AAAA", "base64"), 32, { N: 2, r: 1, p: 1 }).toString("base64")}`;

/** So many milliseconds ago. */
export const ago = (ms: number) => new Date(Date.now() - ms);

/** An account with a token, which can sign in with PASSWORD. */
export async function newAccount(
  role: AccountRole = "customer",
  data: Partial<Prisma.AccountUncheckedCreateInput> = {},
): Promise<TestAccount> {
  const name = unique("Account");
  const account = await db.account.create({
    data: { name, email: `${name}@example.com`, role, passwordHash: PASSWORD_HASH, ...data },
    select: { id: true, name: true, email: true, role: true },
  });
  return { ...account, token: await newToken(account.id) };
}

/** What the cookie of a new session holds, made without the half second that a password takes. */
export async function newSession(
  accountId: number,
  data: Partial<Prisma.SessionUncheckedCreateInput> = {},
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await db.session.create({
    data: { tokenHash: hashToken(token), accountId, expiresAt: new Date(Date.now() + 30 * DAY), ...data },
  });
  return token;
}

/** The raw value of a new token. */
export async function newToken(accountId: number, expiresAt: Date | null = null): Promise<string> {
  return (await newNamedToken(accountId, unique("Token"), { expiresAt })).raw;
}

/** A new token with its raw value. `token` is as it was before it got the columns `data`. */
export async function newNamedToken(
  accountId: number,
  name: string,
  data: Prisma.AccessTokenUncheckedUpdateInput = {},
): Promise<{ raw: string; token: TokenRecord }> {
  const result = await createToken(accountId, { name, expiresAt: null });
  if (result.kind !== "created") throw new Error(`"${name}": ${JSON.stringify(result)}`);
  await db.accessToken.update({ where: { id: result.token.id }, data });
  return result;
}

export async function newServer(
  accountId: number,
  data: Partial<Prisma.ServerUncheckedCreateInput> = {},
): Promise<{ id: number }> {
  const label = unique("server");
  const { createdAt, lastSeenAt } = data;
  // As pages say it: one that was last seen when it was created was never heard.
  const isHeard = lastSeenAt && String(lastSeenAt) !== String(createdAt);
  const heard = { lastSeenAt: isHeard ? lastSeenAt : null, ...(isHeard && createdAt && { firstSeenAt: createdAt }) };
  return db.server.create({
    data: { accountId, label, hostname: `${label}.example.net`, ...heard, ...data, lastSeenAt: heard.lastSeenAt },
    select: { id: true },
  });
}

export async function newGameService(
  accountId: number,
  data: Partial<Prisma.GameServiceUncheckedCreateInput> = {},
): Promise<{ id: number }> {
  const name = unique("service");
  const { id, status, error, updatedAt } = await db.gameService.create({
    data: {
      accountId,
      name,
      javaHostname: `${name}.play.example.net`,
      originHost: "198.51.100.7",
      originPort: 25_565,
      ...data,
    },
    select: { id: true, status: true, error: true, updatedAt: true },
  });
  await db.$transaction((tx) => recordStatus(tx, { id, accountId, status, error }, updatedAt));
  return { id };
}

/** A server with the key of its daemon, of a new account unless one is given. */
export async function newReportingServer(
  accountId?: number,
  data: Partial<Prisma.ServerUncheckedCreateInput> = {},
): Promise<{ id: number; key: string }> {
  const owner = accountId ?? (await newAccount()).id;
  const { id } = await newServer(owner, data);
  const replaced = await replaceServerKey(owner, id);
  if (replaced.kind !== "replaced") throw new Error(`No key: ${replaced.kind}`);
  return { id, key: replaced.rawKey };
}

/** Makes the same for a new account, and names the account and its token too. */
const ofNewAccount =
  <Args extends unknown[], Made>(make: (accountId: number, ...args: Args) => Promise<Made>) =>
  async (...args: Args) => {
    const { id: accountId, token } = await newAccount();
    return { accountId, token, ...(await make(accountId, ...args)) };
  };
export const newOwnedServer = ofNewAccount(newServer);
export const newOwnedService = ofNewAccount(newGameService);
export const newOwnedReporter = ofNewAccount(newReportingServer);

/** Replaced, of a server that is gone, of a disabled account, unknown, a token, and cut. */
export async function unusableKeys(): Promise<string[]> {
  const [owner, disabled] = [await newAccount(), await newAccount()];
  const [replaced, removed] = [await newReportingServer(owner.id), await newReportingServer(owner.id)];
  const ofDisabled = await newReportingServer(disabled.id);
  await replaceServerKey(owner.id, replaced.id, new Date(Date.now() - HOUR));
  await removeServer(owner.id, removed.id);
  await setAccountDisabled(disabled.email, true);
  return [replaced.key, removed.key, ofDisabled.key, mintToken("serverKey"), owner.token, "csrv_"];
}

/**
 * The columns of a server whose newest sample, of a machine that is well but for `over`, was measured and arrived at a time; it
 * was rated by a day without events but for `day`.
 */
export function sampled(at: Date, over: Partial<Sample> = {}, day: Partial<RatedBy> = {}) {
  const sample = { ...WELL, ...over };
  const ratedBy = { coveragePct: 100, reboots: 0, oomKills: 0, failedUnits: 0, lastOomAt: null, cores: 4, ...day };
  const points = rateSample({ ...sample, ts: at.getTime() }, ratedBy.cores, ratedBy);
  const firstSeenAt = new Date(at.getTime() - 30 * DAY);
  return { firstSeenAt, lastSeenAt: at, sampledAt: at, sample: storedOf(sample), ratedBy, ...points };
}

/** A finished run, unless `data` says otherwise. */
export async function newBenchmarkRun(
  serverId: number,
  data: Partial<Prisma.BenchmarkRunUncheckedCreateInput> = {},
): Promise<{ id: number }> {
  return db.benchmarkRun.create({
    data: { serverId, label: unique("run"), status: "done", finishedAt: new Date(Date.now() - HOUR), ...data },
    select: { id: true },
  });
}

/** An ip that no other test comes from. */
export function newIp(): string {
  return `10.${randomInt(256)}.${randomInt(256)}.${1 + randomInt(254)}`;
}

/** Lower-case letters and digits, never twice. */
export function unique(what: string): string {
  return `${what.toLowerCase()}-${randomBytes(6).toString("hex")}`;
}

/** Makes what was measured at a time the newest sample of a server. When it was last heard stays as it is. */
export async function putSample(serverId: number, at: Date, measured: Partial<Sample> = {}): Promise<void> {
  const { lastSeenAt: _, firstSeenAt: __, ...columns } = sampled(at, { ...NOTHING, ...measured });
  await db.server.update({ where: { id: serverId }, data: columns, select: { id: true } });
  const onGrid = new Date(Math.floor(at.getTime() / GRID) * GRID);
  const { score } = presentScore({ rated: columns, sampledAt: at.getTime(), lastSeenAt: at.getTime() }, at.getTime());
  const row = { serverId, at: onGrid, score, ...rolledUpValues({ ...NOTHING, ...measured }) };
  await db.telemetrySample.createMany({ data: row, skipDuplicates: true });
}
const NOTHING = eachMeasurement(() => null);

const TABLES = { server: "servers", service: "game_services", token: "access_tokens" };

/** Events of a server, or of something else that an account has. */
export async function putEvents(
  of: number | readonly [subject: keyof typeof TABLES, id: number],
  ...events: Pick<Prisma.EventCreateManyInput, "kind" | "startedAt" | "endedAt" | "facts">[]
): Promise<void> {
  const [subject, subjectId] = typeof of === "number" ? (["server", of] as const) : of;
  const accountOf = `select account_id as "accountId" from ${TABLES[subject]} where id = $1`;
  const [owner] = await db.$queryRawUnsafe<{ accountId: number }[]>(accountOf, subjectId);
  await db.event.createMany({ data: events.map((event) => ({ subject, subjectId, ...owner, ...event })) });
}

/** What `putPast` stores of each minute `ts`, as SQL. */
type PastValues = Partial<Record<"score" | "cpu_pct" | "mem_used_pct" | "disk_used_pct" | "net_loss_pct", string>>;

/** Stores a sample of each minute in `[from, to]` for which `isHeard`, an SQL condition of `ts`, holds, and sums their hours up. */
export async function putPast(
  serverId: number,
  { from, to, isHeard = "true" }: { from: Date; to: Date; isHeard?: string },
  values: PastValues = {},
): Promise<void> {
  for (let day = Math.floor(from.getTime() / DAY) * DAY; day <= to.getTime(); day += DAY) {
    await makeDay("telemetry_samples", day);
  }
  const all = { score: "900", cpu_pct: "10", mem_used_pct: "50", disk_used_pct: "40", net_loss_pct: "0", ...values };
  const names = Object.keys(all);
  await db.$executeRawUnsafe(
    `insert into telemetry_samples (server_id, at, ${names.join(", ")})
      select $1, ts, ${Object.values(all).join(", ")} from generate_series($2::timestamptz, $3, interval '1 minute') ts
      where ${isHeard} on conflict do nothing`,
    ...[serverId, from, to],
  );
  const bands = names.flatMap((name) => ["min", "avg", "max"].map((of) => [`${name}_${of}`, `${of}(${name})`]));
  await db.$executeRawUnsafe(
    `insert into telemetry_hours (server_id, hour, seen, samples, reboots, oom_kills, ${bands.map(([name]) => name).join(", ")})
      select server_id, date_trunc('hour', at, 'UTC'), bit_or(1::bigint << extract(minute from at)::int), count(*), 0, 0,
        ${bands.map(([, value]) => value).join(", ")}
      from telemetry_samples where server_id = $1 group by 1, 2 on conflict do nothing`,
    serverId,
  );
}
