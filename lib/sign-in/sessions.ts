import { randomBytes } from "node:crypto";
import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import type { Account } from "@/lib/accounts/accounts";
import { BROWSER_ZONE_COOKIE } from "@/lib/accounts/browser-zone";
import { zoneOf } from "@/lib/accounts/time-zone";
import { db } from "@/lib/database/client";
import { DAY } from "@/lib/format/time";
import { clientIp } from "@/lib/http/client-ip";
import { PATH_HEADER, parseOwnPath } from "@/lib/http/own-path";
import { cleanAgent, type Sender } from "@/lib/http/sender";
import { SIGN_IN } from "@/lib/page-paths";
import { runInBackground } from "@/lib/process/background";
import { env } from "@/lib/process/env";
import { EVERYBODY, fair } from "@/lib/process/fair";
import { securityEvent } from "@/lib/process/security-events";
import type { Accepted } from "@/lib/sign-in/credentials";
import { forgetSession } from "@/lib/sign-in/page-asker";
import { COOKIE, COOKIE_LIFETIME, SESSION_COOKIE, sessionHash } from "@/lib/sign-in/session-cookie";
import { endOpen, storeSession } from "@/lib/sign-in/session-row";
import { hashToken } from "@/lib/tokens/format";

const LIFETIME = 30 * DAY;
/** A session in use is extended at most this often. */
const EXTENDED_AT_MOST_EVERY = DAY;
const TOKEN_BYTES = 32;
/** The driver may round an instant by this much, in milliseconds. */
const ROUNDING = 1;

/** The account of a browser, and the IANA name of the zone in which its pages write times, chosen or the browser's. */
export type SignedInAccount = Account & { timeZone: string; hasChosenZone: boolean };

const SIGNED_IN = { id: true, name: true, email: true, role: true, timeZone: true, timeZoneChosen: true } as const;

/** Returns the signed-in account. Null: no session, an expired one, or a disabled account. Read once per request. */
export const findAccount = cache(async (): Promise<SignedInAccount | null> => {
  const tokenHash = sessionHash((await cookies()).get(SESSION_COOKIE)?.value);
  if (tokenHash === null) return null;
  const now = new Date();
  const session = await db.session.findFirst({
    where: { tokenHash, expiresAt: { gt: now }, account: { disabledAt: null } },
    select: { expiresAt: true, account: { select: SIGNED_IN } },
  });
  if (!session) {
    forgetSession(tokenHash);
    return null;
  }
  const expiresAt = new Date(now.getTime() + LIFETIME);
  if (expiresAt.getTime() - session.expiresAt.getTime() >= EXTENDED_AT_MOST_EVERY) {
    // Update only an unchanged row, so that a session that ended meanwhile stays ended.
    const asRead = {
      gte: new Date(session.expiresAt.getTime() - ROUNDING),
      lte: new Date(session.expiresAt.getTime() + ROUNDING),
    };
    runInBackground("extending a session", () =>
      fair("background", EVERYBODY, () =>
        db.session.updateMany({ where: { tokenHash, expiresAt: asRead }, data: { expiresAt } }),
      ),
    );
  }
  const { timeZone, timeZoneChosen, ...account } = session.account;
  const browserZone = (await cookies()).get(BROWSER_ZONE_COOKIE)?.value;
  return { ...account, ...zoneOf({ timeZone, timeZoneChosen }, browserZone) };
});

/** Returns the signed-in account, or redirects to the sign-in page, which leads back to this page. */
export async function requireAccount(): Promise<SignedInAccount> {
  const account = await findAccount();
  if (account) return account;
  const path = parseOwnPath((await headers()).get(PATH_HEADER));
  // A browser that still has a cookie was signed in once. The page says that the session is over.
  const isEnded = (await cookies()).has(SESSION_COOKIE);
  const query = [...(path ? [`next=${encodeURIComponent(path)}`] : []), ...(isEnded ? ["ended"] : [])];
  redirect(query.length > 0 ? `${SIGN_IN}?${query.join("&")}` : SIGN_IN);
}

/**
 * Signs the browser in with a new token. Call it in a server action. Returns false and signs nobody in when the password
 * was changed or the account was disabled after the check.
 */
export async function startSession({ accountId, passwordHash }: Accepted): Promise<boolean> {
  const jar = await cookies();
  const before = sessionHash(jar.get(SESSION_COOKIE)?.value);
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const { ip, agent } = await requestSender();
  const expiresAt = new Date(Date.now() + LIFETIME);
  const session = { tokenHash: hashToken(token), accountId, expiresAt, ip, userAgent: cleanAgent(agent) };
  const isStored = await storeSession(session, passwordHash);
  if (!isStored) return false;
  jar.set(SESSION_COOKIE, token, { ...COOKIE, maxAge: COOKIE_LIFETIME });
  securityEvent("signed in", { accountId, ip });
  if (before !== null) {
    runInBackground("ending the session before", () =>
      fair("background", EVERYBODY, () => endOpen({ tokenHash: before })),
    );
  }
  return true;
}

/** Signs the browser out and invalidates its token. Call it in a server action. */
export async function endSession(): Promise<void> {
  const jar = await cookies();
  const tokenHash = sessionHash(jar.get(SESSION_COOKIE)?.value);
  // Read the account first: without the cookie, nobody is signed in.
  const account = await findAccount();
  jar.set(SESSION_COOKIE, "", { ...COOKIE, maxAge: 0 });
  if (tokenHash !== null) await endOpen({ tokenHash });
  if (account) await reportEvent("signed out", { accountId: account.id });
}

/** As `securityEvent`, with the ip of the current request. */
export async function reportEvent(
  event: Parameters<typeof securityEvent>[0],
  details: Omit<Parameters<typeof securityEvent>[1], "ip">,
): Promise<void> {
  securityEvent(event, { ...details, ip: (await requestSender()).ip });
}

/** Returns the sender of the current request. */
export async function requestSender(): Promise<Sender> {
  const received = await headers();
  return { ip: clientIp(received, env.trustedProxies), agent: received.get("user-agent") };
}
