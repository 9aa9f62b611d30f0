// The HTTP server of the app: Next behind the few things that Next cannot know or do. It runs as a process of its own
// (`app-process.ts` starts it), in plain JavaScript, so that no TypeScript loader runs beside Next.
import { EventEmitter } from "node:events";
import { createServer, STATUS_CODES } from "node:http";
import next from "next";
import { failureText } from "../lib/api/failure-text.mjs";
import { apiHeaders } from "../next.config.mjs";

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
const app = next({ dev, hostname, port, httpServer: dev ? server : new EventEmitter() });
const ready = app.prepare();
const handle = app.getRequestHandler();
let isDraining = false;

server.on("request", async (request, response) => {
  await ready;
  if (isDraining) response.setHeader("Connection", "close");
  if (request.url === "*") return refuse(response, 400);
  normalize(request);
  await handle(request, response);
});

process.once("SIGTERM", drain);
process.once("SIGINT", drain);
// The parent is gone: so is the database it may have been serving.
process.once("disconnect", drain);

await ready;
process.send?.({ port });

function listen(wanted) {
  return new Promise((resolve) => {
    server.once("error", (error) => {
      process.send?.({ error: error.code === "EADDRINUSE" ? "in use" : error.message });
      process.exit(1);
    });
    server.listen(wanted, hostname, () => resolve(server.address().port));
  });
}

/** Makes the headers say what is so, whatever the client claimed. */
function normalize(request) {
  const { headers } = request;
  // A base address that ends in a slash makes "//api/v1/me"; Next would redirect, without the headers of the API.
  const [path, ...query] = request.url.split("?");
  const collapsed = path.replace(/\/{2,}/g, "/");
  if (collapsed !== path && collapsed.startsWith("/api/v1")) request.url = [collapsed, ...query].join("?");
  if (collapsed.startsWith("/api/v1/") && isUndecodable(collapsed)) request.url = "/api/v1/malformed";
  if (request.url.startsWith("/api/v1") && !CARRIED_METHODS.has(request.method)) request.method = "DELETE";
  // Node keeps the first of several; together they are no usable credential.
  const authorizations = request.headersDistinct.authorization;
  if (authorizations?.length > 1) headers.authorization = authorizations.join(", ");
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
}

/** Next fails at such a path before any route; here it is one that nobody knows. Paths without a `%` cost nothing. */
function isUndecodable(path) {
  if (!path.includes("%")) return false;
  try {
    decodeURIComponent(path);
    return false;
  } catch {
    return true;
  }
}

/** Not HTTP, headers beyond 16 KB, or a request that never ends: no request object exists, so the answer is raw. */
function refuseMalformed(error, socket) {
  if (!socket.writable) return socket.destroy();
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code] ?? 400;
  const body = failureText(`${STATUS_CODES[status]}.`);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    ...apiHeaders.map(({ key, value }) => `${key}: ${value}`),
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

function refuse(response, status) {
  for (const { key, value } of apiHeaders) response.setHeader(key, value);
  response
    .writeHead(status, { "Content-Type": "application/json; charset=utf-8" })
    .end(failureText(`${STATUS_CODES[status]}.`));
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
  await globalThis[Symbol.for("console-api.background-drain")]?.();
  process.exit(0);
}
