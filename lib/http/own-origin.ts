import { env } from "@/lib/process/env";

/** A host and a port, and nothing that a shell or a page could take for something else. */
const HOST = /^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/i;

/**
 * Whether a request that changes something was sent by a page of the console itself. A request without an Origin
 * header, or with `null`, is not: every browser sends its own with a form.
 */
export function isFromConsole(headers: Headers): boolean {
  // Browsers set Sec-Fetch-Site, and pages cannot change it. Older browsers do not send it.
  const site = headers.get("sec-fetch-site");
  if (site === "cross-site" || site === "same-site") return false;
  const own = ownOrigin(headers);
  const origin = headers.get("origin");
  if (!own || !origin || !URL.canParse(origin)) return false;
  // Without BASE_URL the scheme in front of a proxy is unknown, so the hosts alone are compared.
  return env.baseUrl ? new URL(origin).origin === own : new URL(origin).host === new URL(own).host;
}

/** For documents when a request names no usable host. */
const PLACEHOLDER = "https://console.example.com";

/**
 * The origin of the console, for GET. Ignores the Origin header, which names the page that asks: a document with that
 * origin as the API would make clients send their tokens there.
 */
export function servedOrigin(headers: Headers): string {
  return ownOrigin(headers) ?? PLACEHOLDER;
}

/** The origin under which the browser opened a page of an account, also where the page is the answer to a form. */
export function shownOrigin(headers: Headers): string {
  return (env.baseUrl && ownOrigin(headers)) || originHeader(headers) || servedOrigin(headers);
}

/** The hostnames and ips under which the console itself is reached, as far as it knows; lower case. */
export function ownHosts(headers: Headers): string[] {
  const origins = [env.baseUrl, ownOrigin(headers), originHeader(headers)];
  return origins.flatMap((origin) =>
    origin ? new URL(origin).hostname.toLowerCase().replace(/^\[(.*)\]$/, "$1") : [],
  );
}

/**
 * The Origin header. Next renders the page after a form by a request to itself: its Host is not the browser's, but its
 * Origin is. The Origin was checked when the form arrived.
 */
function originHeader(headers: Headers): string | null {
  const origin = headers.get("origin") ?? "";
  const [scheme, host = ""] = origin.split("://");
  return (scheme === "http" || scheme === "https") && HOST.test(host) ? origin : null;
}

/** BASE_URL, else the scheme and the Host header of the request; null when that names no usable host. */
function ownOrigin(headers: Headers): string | null {
  if (env.baseUrl) return new URL(env.baseUrl).origin;
  const host = headers.get("host") ?? "";
  if (!HOST.test(host)) return null;
  const scheme = headers.get("x-forwarded-proto")?.split(",")[0]?.trim() === "https" ? "https" : "http";
  return `${scheme}://${host.toLowerCase()}`;
}
