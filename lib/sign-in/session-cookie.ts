import { env } from "@/lib/process/env";

export const isHttps = env.baseUrl?.startsWith("https:") ?? false;
/** `__Host-`: no other host, path or plain-http page can have set it. */
export const SESSION_COOKIE = isHttps ? "__Host-session" : "session";
