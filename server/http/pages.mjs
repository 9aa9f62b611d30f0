// Filters page requests before Next sees them. Only what browsers and Next's own router send gets through.
import { parseAndValidateFlightRouterState } from "next/dist/server/app-render/parse-and-validate-flight-router-state.js";
import { ACTION, levelsOf, MAX_FORM } from "./forms.mjs";
import { INNER_HEADER, isInner } from "./gate.mjs";

/** The request headers that a page may see: those it needs from browsers, and those of Next's router in the browser. */
const CARRIED_HEADERS = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "host",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "next-action",
  "next-router-prefetch",
  "next-router-segment-prefetch",
  "next-router-state-tree",
  "next-url",
  "origin",
  "range",
  "referer",
  "rsc",
  "sec-fetch-dest",
  "sec-fetch-mode",
  "sec-fetch-site",
  "sec-fetch-user",
  "user-agent",
  "x-forwarded-for",
  "x-forwarded-host",
]);
/** Headers that only Next sends, in requests to itself. */
const INNER_HEADERS = new Set(["x-action-forwarded", INNER_HEADER]);

/** Dot segments. Clients resolve them before they ask. Next would resolve them to something that is not a page. */
const DOTS = /[/\\](?:\.|%2e){1,2}(?:[/\\]|$)/i;

/**
 * How deeply the state of Next's router may be nested: twice for each part of a path. Next's check of it takes a time that
 * grows with the square of that, a third of a second for the deepest that fits into a header.
 */
const MAX_STATE_DEPTH = 64;

/** More parameters than any page has. Next takes half a second for the thousands that fit into a URL. */
const MAX_PARAMETERS = 100;
/** In characters. Next looks for robots in it by a pattern that takes a second for the longest that fits into a request. */
const MAX_AGENT = 512;

/** Files of the build. Other paths that begin with `_` are internals of Next that no page needs. */
const STATIC = "/_next/static/";

/**
 * The status with which a request for a page must be refused; null when Next may see the request.
 * @param {import("node:http").IncomingMessage} request
 * @param {string} path
 */
export function findPageFault(request, path) {
  const { headers, method, url = "" } = request;
  if (/^\/(?:_|%5f)/i.test(path) && !path.startsWith(STATIC)) return 404;
  if (DOTS.test(path) || !isDecodable(path)) return 404;
  if (method !== "GET" && method !== "HEAD" && method !== "POST") return 405;
  if (url.split("&", MAX_PARAMETERS + 1).length > MAX_PARAMETERS) return 400;
  const action = headers["next-action"];
  if (action !== undefined && !ACTION.test(String(action))) return 400;
  if (!isRouterState(headers["next-router-state-tree"])) return 400;
  if (method !== "POST") return null;
  if (Number(headers["content-length"]) > MAX_FORM) return 413;
  // A form of the console is sent by a browser as this, and by Next's router as this or as text.
  const type = headers["content-type"] ?? "";
  return /^multipart\/form-data *;/i.test(type) || (action !== undefined && /^text\/plain *;/i.test(type)) ? null : 400;
}

/**
 * Whether a path is percent-encoded text. Where a segment is an id, Next would answer another one with a bare 500.
 * @param {string} path
 */
function isDecodable(path) {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether Next's router in the browser may have sent this as what it shows. Next would answer anything else with a 500.
 * @param {string | string[] | undefined} state
 */
function isRouterState(state) {
  try {
    const value = typeof state === "string" ? JSON.parse(decodeURIComponent(state)) : null;
    let depth = 0;
    for (const _ of levelsOf(value)) if (++depth > MAX_STATE_DEPTH) return false;
    parseAndValidateFlightRouterState(state);
    return true;
  } catch {
    return false;
  }
}

/**
 * Deletes every header that pages do not need, and cuts the name of the browser, in place.
 * @param {import("node:http").IncomingMessage} request
 */
export function keepPageHeaders(request) {
  const { headers } = request;
  const isOwn = isInner(request);
  for (const name of Object.keys(headers)) {
    if (!CARRIED_HEADERS.has(name) && !(isOwn && INNER_HEADERS.has(name))) delete headers[name];
  }
  if (headers["user-agent"]) headers["user-agent"] = headers["user-agent"].slice(0, MAX_AGENT);
}
