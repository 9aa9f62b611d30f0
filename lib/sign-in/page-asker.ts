import { clientIp } from "@/lib/http/client-ip";
import { siteOf } from "@/lib/http/network";
import { env } from "@/lib/process/env";
import { type Asker, EVERYBODY, fair } from "@/lib/process/fair";
import { perProcess } from "@/lib/process/per-process.mjs";
import { hashToken } from "@/lib/tokens/format";
import { SESSION_COOKIE, SESSION_TOKEN_SHAPE } from "./session-cookie";
import { findSessionAccount } from "./session-row";

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
  const hash = sessionHash(headers.cookie ?? "");
  if (hash === null) return site;
  const account = known.get(hash) ?? (await fair("lookup", EVERYBODY, () => lookUp(hash)));
  return account ?? site;
}

async function lookUp(hash: string): Promise<number | null> {
  // The page itself says that the database is away.
  const account = await findSessionAccount(hash).catch(() => null);
  if (account === null) return null;
  known.set(hash, account);
  const [oldest] = known.keys();
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  return account;
}

/** The session with this hash is over. */
export function forgetSession(hash: string): void {
  known.delete(hash);
}

/** The hash of the session cookie; null when it is absent or malformed. */
function sessionHash(cookies: string): string | null {
  const prefix = `${SESSION_COOKIE}=`;
  const token = cookies
    .split(/; */)
    .find((part) => part.startsWith(prefix))
    ?.slice(prefix.length);
  return token !== undefined && SESSION_TOKEN_SHAPE.test(token) ? hashToken(token) : null;
}
