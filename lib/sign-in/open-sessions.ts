import { cookies } from "next/headers";
import { hashPassword } from "@/lib/accounts/passwords";
import { db } from "@/lib/database/client";
import { SESSION_COOKIE, sessionHash } from "@/lib/sign-in/session-cookie";
import { endOpen } from "@/lib/sign-in/session-row";

/** The page lists only the latest sessions. "Sign out all others" ends the unlisted ones too. */
const MAX_SESSIONS_SHOWN = 50;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A signed-in browser, as its owner sees it. `id` names the session in forms. It is not the session token. */
export type OpenSession = {
  id: string;
  createdAt: Date;
  ip: string | null;
  userAgent: string | null;
  /** This session sent the request. */
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

/** Ends one session of the account, or all but the current one, and returns how many. */
export async function endSessions(accountId: number, session: string | "others"): Promise<number> {
  if (session !== "others" && !UUID.test(session)) return 0;
  const chosen = session === "others" ? { tokenHash: { not: (await currentHash()) ?? "" } } : { publicId: session };
  return endOpen({ accountId, ...chosen });
}

/**
 * Changes the password, ends all sessions but the current one and returns how many it ended. Returns null when the
 * account no longer has `oldHash`, because the password was changed meanwhile.
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
    // A concurrent sign-in waits for this transaction. It then fails, because the old hash is gone.
    const others = { accountId, tokenHash: { not: tokenHash } };
    const ended = await tx.session.deleteMany({ where: { ...others, expiresAt: { gt: new Date() } } });
    // Sessions that had ended before go as well, and are not counted: nobody was signed in there.
    await tx.session.deleteMany({ where: others });
    await tx.session.updateMany({ where: { tokenHash }, data: { authenticatedAt: new Date() } });
    return ended.count;
  });
}

/** The hash of the session that sent the request. */
export async function currentHash(): Promise<string | null> {
  return sessionHash((await cookies()).get(SESSION_COOKIE)?.value);
}
