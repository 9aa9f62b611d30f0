import { cookies } from "next/headers";
import { hashPassword } from "@/lib/accounts/passwords";
import { db } from "@/lib/database/client";
import { SESSION_COOKIE } from "@/lib/sign-in/session-cookie";
import { MINUTE } from "@/lib/time";
import { hashToken } from "@/lib/tokens/format";

/** So many sessions are listed, the last ones; "sign out all others" ends those beyond too. */
export const MAX_SESSIONS_SHOWN = 50;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A browser that is signed in, as its owner sees it. `id` names it in forms and signs nobody in. */
export type OpenSession = {
  id: string;
  createdAt: Date;
  ip: string | null;
  userAgent: string | null;
  /** The browser that asks. */
  isCurrent: boolean;
};

/** The sessions of the account, the current one first, then the last sign-in first. */
export async function listSessions(accountId: number): Promise<OpenSession[]> {
  const current = await currentHash();
  const rows = await db.session.findMany({
    where: { accountId, expiresAt: { gt: new Date() } },
    select: { tokenHash: true, publicId: true, createdAt: true, ip: true, userAgent: true },
    orderBy: [{ createdAt: "desc" }, { publicId: "asc" }],
    take: MAX_SESSIONS_SHOWN,
  });
  return rows
    .map(({ tokenHash, publicId, ...row }) => ({ id: publicId, ...row, isCurrent: tokenHash === current }))
    .sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
}

/**
 * Ends one session of the account, or all but the current one. The row stays for its ip, as after a sign-out, and ends
 * in the past. Answers how many were ended.
 */
export async function endSessions(accountId: number, which: string | "others"): Promise<number> {
  if (which !== "others" && !UUID.test(which)) return 0;
  const now = new Date();
  const chosen = which === "others" ? { tokenHash: { not: (await currentHash()) ?? "" } } : { publicId: which };
  const { count } = await db.session.updateMany({
    where: { accountId, expiresAt: { gt: now }, ...chosen },
    data: { expiresAt: new Date(now.getTime() - MINUTE) },
  });
  return count;
}

/**
 * Gives the account another password and ends all its sessions but the current one. Null when the password that
 * `oldHash` stands for is not the account's any more; otherwise how many sessions were ended.
 */
export async function changePassword(accountId: number, oldHash: string, password: string): Promise<number | null> {
  const passwordHash = await hashPassword(password);
  const tokenHash = (await currentHash()) ?? "";
  return db.$transaction(async (tx) => {
    const { count } = await tx.account.updateMany({
      where: { id: accountId, passwordHash: oldHash, disabledAt: null },
      data: { passwordHash },
    });
    if (count === 0) return null;
    // A sign-in that is under way waits for this change and then fits the old password no longer.
    const ended = await tx.session.deleteMany({ where: { accountId, tokenHash: { not: tokenHash } } });
    await tx.session.updateMany({ where: { tokenHash }, data: { authenticatedAt: new Date() } });
    return ended.count;
  });
}

async function currentHash(): Promise<string | null> {
  const token = (await cookies()).get(SESSION_COOKIE)?.value;
  return token ? hashToken(token) : null;
}
