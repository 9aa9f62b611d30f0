import { env } from "@/lib/process/env";

export const isHttps = env.baseUrl?.startsWith("https:") ?? false;
/** `__Host-`: no other host, path or plain-http page can have set it. */
export const SESSION_COOKIE = isHttps ? "__Host-session" : "session";

/** What `randomBytes(32)` is in base64url. Anything else is no session token. */
export const SESSION_TOKEN_SHAPE = /^[\w-]{43}$/;
