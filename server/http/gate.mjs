// The checks before any handler or page sees a request: whether it is one request that means one thing, and who
// sent it.
import { randomBytes } from "node:crypto";
import { isMachinePath } from "../../lib/http/machine-path.mjs";
import { isHandlerMethod } from "../../lib/http/methods.mjs";

/** More headers than any client sends. Node counts none: it would drop the last of them, which a proxy wrote. */
const MAX_HEADERS = 200;
/** What no host name or port contains; each of these would let two readers see two hosts. */
const NOT_IN_HOST = /[\s,/\\?#@]/;

/**
 * Next asks itself for the page that a form leads to, with the headers of the form: this one tells such a request from
 * a request that a client makes up.
 */
const INNER_HEADER = "x-console-inner";
// Processes that share a port share it: any of them may get the request.
process.env.CONSOLE_INNER_SECRET ??= randomBytes(24).toString("hex");
const INNER_SECRET = process.env.CONSOLE_INNER_SECRET;

/**
 * The status with which a request must be refused; null for a request that may be answered.
 * @param {import("node:http").IncomingMessage} request
 */
export function findFault(request) {
  const { rawHeaders, url = "" } = request;
  // Only proxies are asked for other hosts' URLs (`GET http://elsewhere/`), and nobody for `*`.
  if (!url.startsWith("/")) return 400;
  if (rawHeaders.length > 2 * MAX_HEADERS) return 431;
  const hosts = valuesOf(rawHeaders, "host");
  if (hosts.length > 1 || (hosts.length === 0 && request.httpVersion === "1.1")) return 400;
  return NOT_IN_HOST.test(hosts[0] ?? "") ? 400 : null;
}

/**
 * Replaces the headers that a client could forge by what the server knows.
 * @param {import("node:http").IncomingMessage} request
 * @param {URL | null} baseUrl
 * @returns {string} its path, as the routes are spelled: without doubled slashes and query
 */
export function normalize(request, baseUrl) {
  const { headers, rawHeaders } = request;
  const [target = ""] = (request.url ?? "").split("#");
  const queryStart = target.indexOf("?");
  const query = queryStart < 0 ? "" : target.slice(queryStart);
  let path = queryStart < 0 ? target : target.slice(0, queryStart);
  // A base URL that ends in a slash makes "//api/v1/me".
  const collapsed = path.includes("//") ? path.replace(/\/{2,}/g, "/") : path;
  if (isForMachines(collapsed)) {
    path = collapsed;
    request.url = path + query;
    // Every method that no handler has is refused alike, so it goes by the name of one that is refused.
    if (!isHandlerMethod(request.method)) request.method = "DELETE";
  }
  // Node keeps the first of several; together they are no usable credential.
  const authorizations = valuesOf(rawHeaders, "authorization");
  if (authorizations.length > 1) headers.authorization = authorizations.join(", ");
  if (!isInner(request)) {
    // As a proxy does: the app can then tell the peer's ip from what the client wrote to the left of it.
    const forwarded = headers["x-forwarded-for"];
    const peer = request.socket.remoteAddress;
    headers["x-forwarded-for"] = forwarded ? `${forwarded}, ${peer}` : peer;
  }
  // Next believes this over Host, so only the configured host may stand in it; and by the scheme it asks itself for
  // the page that a form leads to, over plain HTTP whatever the browser speaks.
  delete headers["x-forwarded-host"];
  delete headers["x-forwarded-proto"];
  if (baseUrl) headers["x-forwarded-host"] = baseUrl.host;
  return path;
}

/**
 * Whether a path is one of those that handlers answer alone, however it is spelled.
 * @param {string} path
 */
export function isForMachines(path) {
  return isMachinePath(path) || (path.includes("%") && isMachinePath(decodeAll(path)));
}

/**
 * Whether Next sent the request to itself: its headers are then those of a request that was looked at before.
 * @param {import("node:http").IncomingMessage} request
 */
export function isInner(request) {
  return request.headers[INNER_HEADER] === INNER_SECRET;
}

/**
 * What a page's request carries so that the ones Next makes of it are known again.
 * @param {import("node:http").IncomingHttpHeaders} headers
 */
export function markForInner(headers) {
  headers[INNER_HEADER] = INNER_SECRET;
}

/**
 * @param {string[]} rawHeaders names and values by turns
 * @param {string} name in lower case
 */
function valuesOf(rawHeaders, name) {
  /** @type {string[]} */
  const values = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const found = rawHeaders[index] ?? "";
    if (found.length === name.length && found.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? "");
  }
  return values;
}

/** @param {string} path */
function decodeAll(path) {
  try {
    return decodeURIComponent(path).replace(/\/{2,}/g, "/");
  } catch {
    return path;
  }
}
