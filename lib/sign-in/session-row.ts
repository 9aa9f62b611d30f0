import { db, type Prisma } from "@/lib/database/client";
import { lockAccount } from "@/lib/database/locks";
import { DAY } from "@/lib/format/time";

/**
 * Stores a session of an account whose password was checked. Returns false and stores nothing when the account was disabled or
 * its password changed meanwhile.
 */
export function storeSession(data: Prisma.SessionUncheckedCreateInput, passwordHash: string): Promise<boolean> {
  return db.$transaction(async (tx) => {
    // A change of the account ends all sessions. No session slips in behind it, because a concurrent one is waited for.
    await lockAccount(tx, data.accountId);
    const where = { id: data.accountId, passwordHash, disabledAt: null };
    if ((await tx.account.count({ where })) === 0) return false;
    await tx.session.create({ data, select: { accountId: true } });
    return true;
  });
}

/** The account of the session with this hash. Only says whose turn a page is: access is decided by `findAccount`. */
export async function findSessionAccount(tokenHash: string): Promise<number | null> {
  const where = { tokenHash, expiresAt: { gt: new Date() } };
  const session = await db.session.findFirst({ where, select: { accountId: true } });
  return session?.accountId ?? null;
}

/**
 * An ended session keeps its row, because sign-in uses its ip to recognise the owner. Its end lies so far in the past, in
 * milliseconds, that no instance takes it for alive, whatever its clock, and no earlier request extends it.
 */
export const ENDED_BEFORE = DAY;

/** Sessions of one account, ended ones included; signing in once more ends the oldest within an hour. */
export const MAX_SESSIONS = 1000;
