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

/**
 * An ended session keeps its row, because sign-in uses its ip to recognise the owner. Its end lies so far in the past, in
 * milliseconds, that no instance takes it for alive, whatever its clock, and no earlier request extends it.
 */
const ENDED_BEFORE = DAY;

/** Ends the open sessions among these, and returns how many. */
export async function endOpen(sessions: Prisma.SessionWhereInput): Promise<number> {
  const now = new Date();
  const { count } = await db.session.updateMany({
    where: { ...sessions, expiresAt: { gt: now } },
    data: { expiresAt: new Date(now.getTime() - ENDED_BEFORE) },
  });
  return count;
}

/** Sessions of one account, ended ones included; signing in once more ends the oldest within an hour. */
export const MAX_SESSIONS = 1000;
