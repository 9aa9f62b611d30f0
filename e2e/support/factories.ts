import { randomBytes, randomInt, scryptSync } from "node:crypto";
import { db, type Prisma } from "@/lib/database/client";
import { DAY, HOUR } from "@/lib/format/time";
import type { AccountRole } from "@/lib/generated/prisma/enums";
import { replaceServerKey } from "@/lib/servers/server-keys";
import { recordOfHours } from "@/lib/servers/stability";
import { hashToken } from "@/lib/tokens/format";
import { createToken, type TokenRecord } from "@/lib/tokens/management";

// Test data, created by production functions where they exist. All values are unique, so tests never see each other's
// rows.

export type TestAccount = { id: number; name: string; email: string; role: AccountRole; token: string };

export const PASSWORD = "correct horse battery";
/** Uses a minimal cost. The console reads the cost from each hash; its own hashes take a fifth of a second of a core. */
const PASSWORD_HASH = `scrypt$2$1$1$AAAA$${scryptSync(PASSWORD, Buffer.from("AAAA", "base64"), 32, { N: 2, r: 1, p: 1 }).toString("base64")}`;

/** An account with a token, which can sign in with PASSWORD. */
export async function newAccount(role: AccountRole = "customer"): Promise<TestAccount> {
  const name = unique("Account");
  const account = await db.account.create({
    data: { name, email: `${name}@example.com`, role, passwordHash: PASSWORD_HASH },
    select: { id: true, name: true, email: true, role: true },
  });
  return { ...account, token: await newToken(account.id) };
}

/** What the cookie of a new session holds, made without the half second that a password takes. */
export async function newSession(accountId: number): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await db.session.create({
    data: { tokenHash: hashToken(token), accountId, expiresAt: new Date(Date.now() + 30 * DAY) },
  });
  return token;
}

/** The raw value of a new token. */
export async function newToken(accountId: number, expiresAt: Date | null = null): Promise<string> {
  return (await newNamedToken(accountId, unique("Token"), expiresAt)).raw;
}

/** A new token with its raw value. */
export async function newNamedToken(
  accountId: number,
  name: string,
  expiresAt: Date | null = null,
): Promise<{ raw: string; token: TokenRecord }> {
  const result = await createToken(accountId, { name, expiresAt });
  if (result.kind === "created") return result;
  throw new Error(result.kind === "invalid" ? result.message : `"${name}" was already created.`);
}

export async function newServer(
  accountId: number,
  data: Partial<Prisma.ServerUncheckedCreateInput> = {},
): Promise<{ id: number }> {
  const label = unique("server");
  return db.server.create({
    data: { accountId, label, hostname: `${label}.example.net`, ...data },
    select: { id: true },
  });
}

export async function newGameService(
  accountId: number,
  data: Partial<Prisma.GameServiceUncheckedCreateInput> = {},
): Promise<{ id: number }> {
  const name = unique("service");
  return db.gameService.create({
    data: {
      accountId,
      name,
      javaHostname: `${name}.play.example.net`,
      originHost: "198.51.100.7",
      originPort: 25_565,
      ...data,
    },
    select: { id: true },
  });
}

/** A server with the key of its daemon. */
export async function newReportingServer(
  accountId: number,
  data: Partial<Prisma.ServerUncheckedCreateInput> = {},
): Promise<{ id: number; key: string }> {
  const { id } = await newServer(accountId, data);
  const replaced = await replaceServerKey(accountId, id);
  if (replaced.kind !== "replaced") throw new Error(`No key: ${replaced.kind}`);
  return { id, key: replaced.rawKey };
}

/** The stability of a server that has checked in in each minute of the last day, without outages or restarts. */
export function steadyRecord(now = Date.now()) {
  const until = Math.floor(now / HOUR);
  const hours = Array.from({ length: 25 }, (_, index) => ({
    hour: until - 24 + index,
    minutes: 60,
    reboots: 0,
    oom_kills: 0,
  }));
  return { ...recordOfHours(hours, { last_oom_at: null, failed_units: 0 }), seen: "f".repeat(25 * 15) };
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
