// The HTTP server of the app: Next behind the few things that Next cannot know or do. It runs as a process of its own
// (`app-process.ts` starts it), in plain JavaScript, so that no TypeScript loader runs beside Next.
import { EventEmitter } from "node:events";
import { createServer } from "node:http";
import next from "next";
import { API_HEADERS, COMMON_HEADERS } from "../lib/api/fixed-headers.mjs";
import { answerDirectly } from "./direct-door.mjs";
import { keepCarriedHeaders } from "./incoming.mjs";
import { refuse, refuseMalformed } from "./refusals.mjs";
import { isDirectPath, loadRoutes } from "./routes.mjs";

/** Longer than the 60 seconds after which common proxies drop an idle connection: the proxy must be the one to close. */
const KEEP_ALIVE_MS = 65_000;
/** Requests still running so long after SIGTERM are cut off. */
const DRAIN_MS = 10_000;
/** What Next hands to route handlers. Any other method is refused alike, so it is passed on under one of these names. */
const CARRIED_METHODS = new Set(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]);

const hostname = process.env.HOST || "127.0.0.1";
const baseUrl = process.env.BASE_URL ? new URL(process.env.BASE_URL) : null;
const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
server.on("clientError", refuseMalformed);

// Listening comes first, so that a port that is taken is known at once.
const port = await listen(Number(process.env.PORT ?? 3000));
const dev = process.env.NODE_ENV !== "production";
// Next listens here for web sockets, which only its development server has. A server that nobody listens to for them
// answers a request that offers an upgrade (to HTTP/2, as some clients do) like any other.
const nobody = /** @type {import("node:http").Server} */ (/** @type {unknown} */ (new EventEmitter()));
const app = next({ dev, hostname, port, httpServer: dev ? server : nobody });
const ready = app.prepare().then(openDirectDoor);
const handle = app.getRequestHandler();
/**
 * Finds the handlers of a path; null where Next alone knows them.
 * @type {Awaited<ReturnType<typeof loadRoutes>> | null}
 */
let findRoute = null;
let isReady = false;
let isDraining = false;

server.on("request", async (request, response) => {
  if (!isReady) await ready;
  if (isDraining) response.setHeader("Connection", "close");
  if (request.url === "*") return refuse(response, 400);
  const path = normalize(request);
  if (!isDirectPath(path)) return handle(request, response);
  keepCarriedHeaders(request.headers);
  if (!findRoute) return handle(request, withOwnVary(response));
  const match = findRoute(path);
  if (!match) return refuse(response, 404);
  await answerDirectly(match, request, response, path.startsWith("/api/v1") ? API_HEADERS : COMMON_HEADERS);
});

// A second Ctrl-C must not kill what the first one promised to drain.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, drain);
// The parent is gone: so is the database it may have been serving.
process.once("disconnect", drain);

await ready;
isReady = true;
process.send?.({ port });

/** The development server compiles a handler when it is asked for; only a build has them all. */
async function openDirectDoor() {
  if (dev) return;
  try {
    findRoute = await loadRoutes(process.env.CONSOLE_DIST_DIR || ".next");
  } catch (error) {
    console.error(
      JSON.stringify({
        time: new Date().toISOString(),
        level: "error",
        event: "direct door closed: Next's router answers everything",
        reason: String(error),
      }),
    );
  }
}

/**
 * Next tells caches about the headers of its pages, whatever it answers.
 * @param {import("node:http").ServerResponse} response
 */
function withOwnVary(response) {
  const { setHeader, appendHeader } = response;
  response.setHeader = (name, value) =>
    setHeader.call(response, name, /^vary$/i.test(name) ? "Accept-Encoding" : value);
  response.appendHeader = (name, value) =>
    /^vary$/i.test(name) ? response.setHeader(name, value) : appendHeader.call(response, name, value);
  return response;
}

/**
 * @param {number} wanted
 * @returns {Promise<number>} the port that was taken
 */
function listen(wanted) {
  return new Promise((resolve) => {
    server.once("error", (/** @type {NodeJS.ErrnoException} */ error) => {
      const problem = error.code === "EADDRINUSE" ? "the port is in use" : error.message;
      if (process.send) process.send({ error: problem });
      else console.error(`Cannot listen on ${hostname}:${wanted}: ${problem}.`);
      process.exit(1);
    });
    server.listen(wanted, hostname, () =>
      resolve(/** @type {import("node:net").AddressInfo} */ (server.address()).port),
    );
  });
}

/**
 * Makes the request say what is so, whatever the client claimed; returns its path.
 * @param {import("node:http").IncomingMessage} request
 */
function normalize(request) {
  const { headers } = request;
  // A base address that ends in a slash makes "//api/v1/me"; Next would redirect, without the headers of the API.
  const [path = "", ...query] = (request.url ?? "").split("?");
  const collapsed = path.replace(/\/{2,}/g, "/");
  if (collapsed !== path && isDirectPath(collapsed)) request.url = [collapsed, ...query].join("?");
  if (collapsed.startsWith("/api/v1/") && isUndecodable(collapsed)) request.url = "/api/v1/malformed";
  if (isDirectPath(collapsed) && !CARRIED_METHODS.has(request.method ?? "")) request.method = "DELETE";
  // Node keeps the first of several; together they are no usable credential.
  const authorizations = request.headersDistinct.authorization;
  if (authorizations && authorizations.length > 1) headers.authorization = authorizations.join(", ");
  // As a proxy does: the app can then tell the peer's address from what the client wrote to the left of it.
  const forwarded = headers["x-forwarded-for"];
  headers["x-forwarded-for"] = forwarded
    ? `${forwarded}, ${request.socket.remoteAddress}`
    : request.socket.remoteAddress;
  // Next believes this over Host, so only the configured address may stand in it; and by the scheme it asks itself for
  // the page that a form leads to, over plain HTTP whatever the browser speaks.
  delete headers["x-forwarded-host"];
  delete headers["x-forwarded-proto"];
  if (baseUrl) headers["x-forwarded-host"] = baseUrl.host;
  return (request.url ?? "").replace(/\?.*/s, "");
}

/**
 * Next fails at such a path before any route; here it is one that nobody knows. Paths without a `%` cost nothing.
 * @param {string} path
 */
function isUndecodable(path) {
  if (!path.includes("%")) return false;
  try {
    decodeURIComponent(path);
    return false;
  } catch {
    return true;
  }
}

/** Lets running requests finish, then what they left to be done after their response, then ends. */
async function drain() {
  if (isDraining) return;
  isDraining = true;
  setTimeout(() => process.exit(0), DRAIN_MS).unref();
  const closed = new Promise((resolve) => server.close(resolve));
  // A connection that was busy at the time of close() would be kept alive after its answer.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await closed;
  clearInterval(sweep);
  await Reflect.get(globalThis, Symbol.for("console-api.background-drain"))?.();
  process.exit(0);
}
