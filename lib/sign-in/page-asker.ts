import { db } from "@/lib/database/client";
import { clientIp } from "@/lib/http/client-ip";
import { siteOf } from "@/lib/http/network";
import { env } from "@/lib/process/env";
import { type Asker, EVERYBODY, fair } from "@/lib/process/fair";
import { perProcess } from "@/lib/process/per-process.mjs";
import { SESSION_COOKIE, sessionHash } from "./session-cookie";

/** Accounts by the hash of a session that worked. Only says whose turn a page is, never who may see it. */
const known = perProcess("accounts-of-sessions", () => new Map<string, number>());
/** When full, the oldest entry is dropped. */
const MAX_KNOWN = 20_000;

/**
 * Who asks for a page or a form: the account of its session, so that customers behind one ip do not share. Without one, the
 * site that it is asked from: were it each of its 65,536 networks, they would fill the places of all strangers.
 * @throws BusyError
 */
export async function askerOfPage(headers: {
  cookie?: string | undefined;
  "x-forwarded-for"?: unknown;
}): Promise<Asker> {
  const site = siteOf(
    clientIp(new Headers({ "x-forwarded-for": String(headers["x-forwarded-for"] ?? "") }), env.trustedProxies),
  );
  const hash = sessionHash(sessionCookie(headers.cookie ?? ""));
  if (hash === null) return site;
  const account = known.get(hash) ?? (await fair("lookup", EVERYBODY, () => lookUp(hash)));
  return account ?? site;
}

async function lookUp(hash: string): Promise<number | null> {
  const where = { tokenHash: hash, expiresAt: { gt: new Date() } };
  // The page itself says that the database is away.
  const session = await db.session.findFirst({ where, select: { accountId: true } }).catch(() => null);
  if (session === null) return null;
  known.set(hash, session.accountId);
  const [oldest] = known.keys();
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  return session.accountId;
}

/** The session with this hash is over. */
export function forgetSession(hash: string): void {
  known.delete(hash);
}

function sessionCookie(cookies: string): string | undefined {
  const prefix = `${SESSION_COOKIE}=`;
  return cookies
    .split(/; */)
    .find((part) => part.startsWith(prefix))
    ?.slice(prefix.length);
}
