// Checks every request before a handler or a page sees it. Refuses ambiguous requests and records the sender's ip.
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isMachinePath } from "@/lib/http/machine-path.mjs";
import { isHandlerMethod } from "@/lib/http/methods.mjs";
import { env } from "@/lib/process/env";
import { decoded } from "./routes";

/** More headers than any client sends. Node's own limit is off, because it drops the last ones, which proxies append. */
const MAX_HEADERS = 200;
/** Characters that no valid Host contains. Two parsers could read two different hosts from them. */
const NOT_IN_HOST = /[\s,/\\?#@]/;

/** Marks requests that Next sends to itself, for the page that a form leads to. They copy the headers of the form. */
export const INNER_HEADER = "x-console-inner";
const INNER_SECRET = randomBytes(24).toString("hex");

/** The status with which a request must be refused; null for a request that may be answered. */
export function findFault({ rawHeaders, headers, url = "", httpVersion }: IncomingMessage): number | null {
  // Absolute URLs (`GET http://elsewhere/`) are for proxies. `*` is not supported.
  if (!url.startsWith("/")) return 400;
  if (rawHeaders.length > 2 * MAX_HEADERS) return 431;
  // A body in another coding would be read as what it is not. HTTP/1.0 has none, so a proxy may see another end of it.
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && (!/^chunked$/i.test(coding) || httpVersion === "1.0")) return 400;
  const hosts = valuesOf(rawHeaders, "host");
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion === "1.1")) return 400;
  return NOT_IN_HOST.test(hosts[0] ?? "") ? 400 : null;
}

/**
 * Replaces the headers that a client could forge by what the server knows. Returns the path, as the routes are spelled:
 * without doubled slashes and query.
 */
export function normalize(request: IncomingMessage): string {
  const { headers, rawHeaders } = request;
  let [, path = "", query = ""] = /^([^?#]*)(\?[^#]*)?/.exec(request.url ?? "") ?? [];
  // A base URL that ends in a slash makes "//api/v1/me".
  const collapsed = path.replace(/\/{2,}/g, "/");
  if (isForMachines(collapsed)) {
    path = collapsed;
    request.url = path + query;
    // Methods that no handler can have become DELETE, so that all are refused alike.
    if (!isHandlerMethod(request.method)) request.method = "DELETE";
  }
  // Node would keep only the first Authorization header. Joined, several are invalid credentials.
  const authorizations = valuesOf(rawHeaders, "authorization");
  if (authorizations.length > 1) headers.authorization = authorizations.join(", ");
  if (!isInner(request)) {
    // Appends the peer's ip, as a proxy does. Anything to the left of it is the client's claim.
    const forwarded = headers["x-forwarded-for"];
    const peer = request.socket.remoteAddress;
    headers["x-forwarded-for"] = forwarded ? `${forwarded}, ${peer}` : peer;
  }
  // Next trusts X-Forwarded-Host over Host, so only the configured host may be in it. X-Forwarded-Proto goes, because
  // Next would use its scheme for requests to itself, and this server speaks plain HTTP.
  delete headers["x-forwarded-host"];
  delete headers["x-forwarded-proto"];
  if (env.baseUrl) headers["x-forwarded-host"] = new URL(env.baseUrl).host;
  return path;
}

/** Whether only handlers answer a path, also when it is percent-encoded. */
export function isForMachines(path: string): boolean {
  return isMachinePath(path) || (path.includes("%") && isMachinePath((decoded(path) ?? "").replace(/\/{2,}/g, "/")));
}

/** Whether Next sent the request to itself. Its headers were then checked with the original request. */
export function isInner({ headers }: IncomingMessage): boolean {
  return headers[INNER_HEADER] === INNER_SECRET;
}

/** Adds the secret to a page request that Next is about to answer, and copies into its requests to itself. */
export function markForInner({ headers }: IncomingMessage): void {
  headers[INNER_HEADER] = INNER_SECRET;
}

/**
 * `rawHeaders`: names and values by turns; `name` in lower case. Node's own `headersDistinct` throws for a header that is
 * called `constructor`, before Node 20.20.2.
 */
function valuesOf(rawHeaders: string[], name: string): string[] {
  return rawHeaders.filter((_, index) => {
    const found = index % 2 === 1 ? (rawHeaders[index - 1] ?? "") : "";
    return found.length === name.length && found.toLowerCase() === name;
  });
}
