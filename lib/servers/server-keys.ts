import { db, type Prisma } from "@/lib/database/client";
import { lockServer } from "@/lib/database/locks";
import { HOUR } from "@/lib/format/time";
import { recordMoment } from "@/lib/servers/events/events";
import { hashToken, mintToken, tokenHint } from "@/lib/tokens/format";

/** How long a replaced key still works, in milliseconds. Its owner gives the daemon the new key in this time. */
const KEY_OVERLAP = HOUR;
/** The most working keys of one server: the current key and the keys replaced within the overlap. */
const MAX_WORKING_KEYS = 10;

const select = {
  id: true,
  hint: true,
  createdAt: true,
  expiresAt: true,
  lastUsedAt: true,
  lastUsedIp: true,
} satisfies Prisma.ServerKeySelect;

/** A server key as the owner of the server sees it: everything but the key. `expiresAt` is null for the current one. */
export type ServerKeyRecord = Prisma.ServerKeyGetPayload<{ select: typeof select }>;

/** The keys with which a daemon can report for this server at `now`, the current one first; none for a foreign server. */
export async function listServerKeys(
  accountId: number,
  serverId: number,
  now: Date = new Date(),
): Promise<ServerKeyRecord[]> {
  return db.serverKey.findMany({
    where: { serverId, server: { accountId }, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
    select,
    orderBy: { id: "desc" },
  });
}

/** `rawKey` exists nowhere else and cannot be read again. */
type ReplaceServerKeyResult =
  | { kind: "replaced"; rawKey: string }
  | { kind: "not-found" }
  | { kind: "too-often"; message: string };

/**
 * Makes a new current key for a server of the account, even if it has none yet. The previous key works for another
 * `KEY_OVERLAP`, so that the daemon can be given the new key. Too many replacements within that time are refused.
 */
export async function replaceServerKey(
  accountId: number,
  serverId: number,
  now: Date = new Date(),
): Promise<ReplaceServerKeyResult> {
  return db.$transaction(async (tx) => {
    // Replacements of one server's key wait for each other here.
    if (!(await lockServer(tx, accountId, serverId))) return { kind: "not-found" };
    await tx.serverKey.deleteMany({ where: { serverId, expiresAt: { lte: now } } });
    if ((await tx.serverKey.count({ where: { serverId } })) >= MAX_WORKING_KEYS) {
      return {
        kind: "too-often",
        message: "The key of this server was replaced very often just now. Try again in an hour.",
      };
    }
    const { count } = await tx.serverKey.updateMany({
      where: { serverId, expiresAt: null },
      data: { expiresAt: new Date(now.getTime() + KEY_OVERLAP) },
    });
    // The first key takes the place of none.
    if (count > 0) await recordMoment(tx, serverId, "key_replaced", now);
    return { kind: "replaced", rawKey: await addServerKey(tx, serverId, now) };
  });
}

/** The first or next current key of a server that has none, within the transaction of its caller. Returns the raw key. */
export async function addServerKey(tx: Prisma.TransactionClient, serverId: number, now: Date): Promise<string> {
  const rawKey = mintToken("serverKey");
  await tx.serverKey.create({
    data: { serverId, keyHash: hashToken(rawKey), hint: tokenHint(rawKey), createdAt: now },
    select: { id: true },
  });
  return rawKey;
}
