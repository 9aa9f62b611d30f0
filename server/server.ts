// The console's HTTP server: machine paths go to their handlers, everything else to Next. The build bundles it with the
// handlers (scripts/server-bundle.ts), and start.mjs loads it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as Listener } from "node:net";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { fixedHeadersOf, HSTS } from "@/lib/api/fixed-headers.mjs";
import { isHandlerMethod } from "@/lib/http/methods.mjs";
import { drainBackground } from "@/lib/process/background";
import { isDraining, startDraining } from "@/lib/process/draining.mjs";
import { env } from "@/lib/process/env";
import { logFault } from "@/lib/process/faults.mjs";
import { log } from "@/lib/process/log.mjs";
import { routes } from "@/server/machine-routes";
import { watchConnections } from "./connections";
import { findFault, isForMachines, normalize } from "./gate";
import { IncomingRequest } from "./incoming";
import { listen, requireFree } from "./listen";
import { countRequests, measure, startMetrics } from "./metrics";
import { send } from "./outgoing";
import { answerPage, preparePages } from "./pages";
import { answerFault, refuse } from "./refusals";
import { type Handler, matcherOf } from "./routes";

/** In milliseconds. Proxies drop an idle connection after 60 seconds, and must be the ones to close. */
const LIMITS = {
  keepAliveTimeout: 65_000,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 2_000,
  // gate.ts checks Host instead, because Node refuses without a body.
  requireHostHeader: false,
};
const SILENCE_MS = 60_000;
/** Connections at a time. Each takes up to 64 KB. */
const MAX_CONNECTIONS = 10_000;
/** Running requests get this long after the server has stopped listening. */
const FINISH_MS = 10_000;
const IDLE_MS = 500;
/** In a turn of the event loop shorter than this, a new connection hardly ever arrives before the server closes. */
const SHORT_TURN_MS = 1;
const LONGEST_WAIT_FOR_TURN_MS = 1_000;

const isHttps = env.baseUrl?.startsWith("https:") ?? false;
const findRoute = matcherOf(routes);

const server = createServer(LIMITS);
server.setTimeout(SILENCE_MS);
server.maxConnections = MAX_CONNECTIONS;
// gate.ts refuses too many: Node would drop the last ones, which a proxy appended.
server.maxHeadersCount = 0;
watchConnections(server);
for (const event of ["request", "checkContinue"]) {
  server.on(event, (request, response) => {
    answer(request, response).catch((error) => answerFault(request, response, error));
  });
}
server.on("checkExpectation", (request, response) => {
  measure(response);
  refuse(request, response, 417);
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const measured = measure(response);
  if (isDraining()) response.setHeader("Connection", "close");
  if (isHttps) response.setHeader(...HSTS);
  const fault = findFault(request);
  if (fault) return refuse(request, response, fault);
  const path = normalize(request);
  if (isForMachines(path)) return answerMachine(path, request, response, measured);
  measured.route = path.startsWith("/_next/") ? "file" : "page";
  await answerPage(path, request, response);
}

async function answerMachine(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  measured: { route: string },
): Promise<void> {
  measured.route = "machine";
  const route = findRoute(path);
  if (!route) return refuse(request, response, 404);
  measured.route = route.pattern;
  const handlers = route.handlers as unknown as Record<string, Handler>;
  // As in Next, GET answers HEAD when a route exports no HEAD.
  const handler = handlers[request.method ?? ""] ?? (request.method === "HEAD" ? handlers.GET : undefined);
  if (!handler) return refuse(request, response, 405, { Allow: allowed(handlers) });
  const made = await handler(new IncomingRequest(request, response), { params: Promise.resolve(route.params) });
  await send(made, request, response, fixedHeadersOf(route.path));
}

function allowed(handlers: Record<string, Handler>): string {
  const methods = Object.keys(handlers).filter(isHandlerMethod);
  return [...methods, ...(handlers.GET && !handlers.HEAD ? ["HEAD"] : [])].join(", ");
}

/** Cuts the time short in which load balancers notice the end. */
const hurry = new AbortController();

/** /readyz says 503 while load balancers notice; then running requests end, and what they left to be done. */
async function end(reason: string): Promise<void> {
  if (reason !== "SIGTERM") hurry.abort();
  if (isDraining()) return;
  startDraining();
  logStopAtExit(reason);
  if (!server.listening) process.exit(0);
  if (env.drainDelaySeconds > 0 && !hurry.signal.aborted) {
    await wait(1000 * env.drainDelaySeconds, null, { signal: hurry.signal }).catch(() => {});
    await untilQuiet(server);
  }
  setTimeout(() => process.exit(0), FINISH_MS).unref();
  // Not the server's own close(): it would cut off connections whose first request is on its way.
  const closed = new Promise((resolve) => Listener.prototype.close.call(server, resolve));
  setInterval(() => server.closeIdleConnections(), IDLE_MS).unref();
  await closed;
  await drainBackground();
  process.exit(0);
}

/** Logs at the very end why this process stopped, how long that took, and which requests it still answered. */
function logStopAtExit(reason: string): void {
  const began = performance.now();
  const before = countRequests().finished;
  process.once("exit", () => {
    const { running, finished } = countRequests();
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    log("info", "stopped", { reason, seconds, finished: finished - before, cut_off: running });
  });
}

/**
 * Resolves right after a short turn of the event loop without a new connection. Closing resets connections that the kernel
 * has accepted and this process has not, and a proxy may not repeat a POST that it sent on such a connection.
 */
async function untilQuiet(of: Server): Promise<void> {
  let connections = 0;
  const count = () => void connections++;
  of.on("connection", count);
  const start = performance.now();
  for (let before = start; ; ) {
    const seen = connections;
    await nextTurn();
    const now = performance.now();
    if ((connections === seen && now - before < SHORT_TURN_MS) || now - start > LONGEST_WAIT_FOR_TURN_MS) break;
    before = now;
  }
  of.off("connection", count);
}

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => void end(signal));
// The parent is gone: so is the database it may have been serving.
process.once("disconnect", () => void end("its parent ended"));
// Whatever runs the console starts it again.
process.once("uncaughtException", (error) => {
  logFault("uncaught fault", error, {});
  process.exit(1);
});

/** Tells the parent, or a person, why the server cannot listen, and ends the process. */
function failToListen(error: Error): Promise<never> {
  const leave = () => process.exit(1);
  if (process.send) process.send({ error: error.message }, leave);
  else {
    log("error", "cannot listen", { detail: `${env.host}:${env.port}: ${error.message}` });
    leave();
  }
  return new Promise(() => {});
}

// Before the slow start.
const port = await requireFree(env.port, env.host).catch(failToListen);
await preparePages(env.host, port);
const listeningOn = await listen(server, port, env.host).catch(failToListen);
await startMetrics();
if (process.send) process.send({ port: listeningOn });
else log("info", "listening", { detail: `${env.host}:${listeningOn}` });
