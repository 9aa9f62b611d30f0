import { DAY, SECOND } from "@/lib/format/time";
import { env } from "@/lib/process/env";
import { hashToken } from "@/lib/tokens/format";

const isHttps = env.baseUrl?.startsWith("https:") ?? false;
/** `__Host-`: no other host, path or plain-http page can have set it. */
export const SESSION_COOKIE = isHttps ? "__Host-session" : "session";

/** Of every cookie that scripts do not read. Browsers remove a `__Host-` cookie only when these match those it was set with. */
export const COOKIE = { httpOnly: true, sameSite: "lax", secure: isHttps, path: "/" } as const;
/** The longest that browsers keep a cookie, in seconds. A page cannot renew it, so only the row decides when a session ends. */
export const COOKIE_LIFETIME = (400 * DAY) / SECOND;

/** What `randomBytes(32)` is in base64url. Anything else is no session token. */
const TOKEN_SHAPE = /^[\w-]{43}$/;

/** The hash of the session that a cookie names; null when the cookie is absent or malformed. */
export function sessionHash(token: string | undefined): string | null {
  return token !== undefined && TOKEN_SHAPE.test(token) ? hashToken(token) : null;
}
