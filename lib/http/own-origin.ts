import { env } from "@/lib/process/env";

/** A host and a port, and nothing that a shell or a page could take for something else. */
export const HOST = /^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/i;

/** Why a form is refused: a page of another site sent it, the browser did not say which, or these origins differ. */
export type OriginFault = "foreign" | "unknown" | { from: string; own: string };

/** Compares where a form was sent from with where the console is; null: it is the console's own. Every browser sends Origin with a form. */
export function findOriginFault(headers: Headers, baseUrl = env.baseUrl): OriginFault | null {
  // Pages cannot change Sec-Fetch-Site. Browsers send it on https, and to this machine.
  const site = headers.get("sec-fetch-site");
  if (site === "same-origin") return null;
  if (site === "cross-site" || site === "same-site") return "foreign";
  const from = originHeader(headers);
  // Without BASE_URL the scheme in front of a proxy is unknown, so that of the browser is taken.
  const own = from && (baseUrl ?? hostOrigin(headers, new URL(from).protocol));
  if (from === null || own === null) return "unknown";
  return own === from ? null : { from, own };
}

/**
 * The headers of a form that was taken, as Next must see them: it compares the texts of Origin and host itself, and answers
 * 500 where they differ. It never connects to that host: `preparePages` tells it where it listens.
 */
export function withOneOrigin(headers: Headers): Headers {
  const origin = originHeader(headers) ?? ownOrigin(headers);
  if (origin === null) return headers;
  const equal = new Headers(headers);
  equal.set("origin", origin);
  equal.set("x-forwarded-host", new URL(origin).host);
  return equal;
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

/** Whether a request came for another host than that of BASE_URL: a proxy changed it, or people opened another URL. */
export function isForOtherHost(headers: Headers, baseUrl: string): boolean {
  return hostOrigin(headers, new URL(baseUrl).protocol) !== baseUrl;
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
  const [scheme = "", host = ""] = (headers.get("origin") ?? "").split("://");
  return /^https?$/i.test(scheme) ? originOf(scheme, host) : null;
}

/** BASE_URL, else the scheme and the Host header of the request; null when that names no usable host. */
function ownOrigin(headers: Headers): string | null {
  const isHttps = headers.get("x-forwarded-proto")?.split(",")[0]?.trim() === "https";
  return env.baseUrl ?? hostOrigin(headers, isHttps ? "https" : "http");
}

function hostOrigin(headers: Headers, scheme: string): string | null {
  return originOf(scheme, headers.get("host") ?? "");
}

/** Writes an origin as a browser does: lower case, without the port that its scheme has anyway. `scheme` may end in ":". */
function originOf(scheme: string, host: string): string | null {
  const text = `${scheme.replace(":", "")}://${host}`;
  return HOST.test(host) && URL.canParse(text) ? new URL(text).origin : null;
}
