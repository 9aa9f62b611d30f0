import { env } from "@/lib/env";

/** A host and a port, and nothing that a shell or a page could take for something else. */
const HOST = /^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/i;

/**
 * The origin under which the browser opened the console: BASE_URL, else the scheme and the Host header of the request.
 * Null when there is no usable Host header.
 */
export function consoleOrigin(headers: Headers): string | null {
  if (env.baseUrl) return new URL(env.baseUrl).origin;
  const host = headers.get("host") ?? "";
  if (!HOST.test(host)) return null;
  const scheme = headers.get("x-forwarded-proto")?.split(",")[0]?.trim() === "https" ? "https" : "http";
  return `${scheme}://${host.toLowerCase()}`;
}

/**
 * Whether a request that changes something was sent by a page of the console itself. A request without an Origin
 * header, or with `null`, is not: every browser sends its own with a form.
 */
export function isFromConsole(headers: Headers): boolean {
  const own = consoleOrigin(headers);
  const origin = headers.get("origin");
  if (!own || !origin || !URL.canParse(origin)) return false;
  // Without BASE_URL the scheme in front of a proxy is unknown, so the hosts alone are compared.
  return env.baseUrl ? new URL(origin).origin === own : new URL(origin).host === new URL(own).host;
}
