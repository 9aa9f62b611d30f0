// The HTTP server of the app. It wraps Next and adds what Next cannot do. `start.mjs` loads it, or the development
// server's parent starts it. It is plain JavaScript, so that no TypeScript loader runs beside Next.
import { EventEmitter } from "node:events";
import { isIPv6 } from "node:net";
import { setFlagsFromString } from "node:v8";
import next from "next";
import { fixedHeadersOf, HSTS } from "../lib/api/fixed-headers.mjs";
import { isDraining } from "../lib/process/draining.mjs";
import { withWaitingTime } from "../lib/process/request-context.mjs";
import { findShared } from "../lib/process/shared-with-server.mjs";
import { answerDirectly } from "./direct/direct-door.mjs";
import { continueIfExpected, keepCarriedHeaders } from "./direct/incoming.mjs";
import { throughNext } from "./direct/next-door.mjs";
import { loadRoutes } from "./direct/routes.mjs";
import { drainDelay, endWhenTold } from "./drain.mjs";
import { answerInTurn, formKind, refuseBusy } from "./http/admitted-pages.mjs";
import { createGuardedServer, earlierAnswers, TIMES } from "./http/connections.mjs";
import { answerFault } from "./http/faults.mjs";
import { readActions, readForm } from "./http/forms.mjs";
import { findFault, isForMachines, markForInner, normalize } from "./http/gate.mjs";
import { answerKept } from "./http/kept-pages.mjs";
import { addListeners } from "./http/listeners.mjs";
import { findPageFault, keepPageHeaders } from "./http/pages.mjs";
import { refuse } from "./http/refusals.mjs";
import { declineUpgrades } from "./http/upgrades.mjs";
import { failToListen, listen, requireFree } from "./listen.mjs";
import { logConsoleAtStart, logError, logInfo } from "./log.mjs";
import { startOps } from "./ops/ops-server.mjs";
import { measure, tellOfLog, tellOfProcess } from "./ops/requests.mjs";

// Lets the heap hold as much garbage as live data. By default, answers with a week of texts made it hold three times as
// much. This saves a quarter of the memory at no measurable cost; at 30 percent, the list of servers took a fifth
// longer.
setFlagsFromString("--heap-growing-percent=100");

const hostname = process.env.HOST || "127.0.0.1";
const baseUrl = process.env.BASE_URL ? new URL(process.env.BASE_URL) : null;
const isHttps = baseUrl?.protocol === "https:";
const dev = process.env.NODE_ENV !== "production";
// The development server has web sockets, which may be silent.
const server = createGuardedServer(dev ? { ...TIMES, silence: 0 } : TIMES);

if (!dev) logConsoleAtStart();
endWhenTold(server, dev ? 0 : drainDelay());
const wanted = Number(process.env.PORT ?? 3000);
const port = await requireFree(wanted, hostname).catch((error) => failToListen(error, wanted, hostname));
// Next listens on the server that it is given for web sockets, which only its development server has.
if (!dev) declineUpgrades(server);
const withoutUpgrades = /** @type {import("node:http").Server} */ (/** @type {unknown} */ (new EventEmitter()));
// Next builds its internal URLs from this hostname and port. It spells every loopback ip "localhost". If the spelling
// differs, Next sends rewritten requests over the network. Clients never see these URLs.
// A form that belongs to another page: Next sends it to that page over the network, to this origin.
process.env.__NEXT_PRIVATE_ORIGIN = `http://${reachable(hostname)}:${port}`;
const app = next({
  dev,
  hostname: dev ? hostname : "localhost",
  port,
  httpServer: dev ? server : withoutUpgrades,
});
const handle = app.getRequestHandler();
const distDir = process.env.CONSOLE_DIST_DIR || ".next";
/** The ids of the server actions in this build; null when they are unknown. */
const actions = dev ? null : readActions(distDir);
/**
 * Finds the handlers of a path. Null when only Next can call them.
 * @type {Awaited<ReturnType<typeof loadRoutes>> | null}
 */
let findRoute = null;

for (const event of ["request", "checkContinue"]) {
  server.on(event, (request, response) => {
    withWaitingTime(() => answer(request, response)).catch((error) => answerFault(request, response, error));
  });
}
server.on("checkExpectation", (request, response) => {
  refuseExpectation(request, response).catch((error) => answerFault(request, response, error));
});

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
async function refuseExpectation(request, response) {
  if (isDraining()) response.setHeader("Connection", "close");
  refuse(request, response, 417);
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
async function answer(request, response) {
  const measured = measure(response);
  const earlier = earlierAnswers(request);
  if (earlier) {
    await earlier;
    // Answered with 408 meanwhile, because the body did not arrive in time.
    if (response.writableEnded) return;
  }
  if (isDraining()) response.setHeader("Connection", "close");
  if (isHttps) response.setHeader(...HSTS);
  const fault = findFault(request);
  if (fault) return refuse(request, response, fault);
  const path = normalize(request, baseUrl);
  if (isForMachines(path)) return answerMachine(path, request, response, measured);
  measured.route = path.startsWith("/_next/") ? "file" : "page";
  return dev ? askNext(request, response) : answerBrowser(path, request, response);
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
async function askNext(request, response) {
  continueIfExpected(request, response);
  await handle(request, response);
}

/**
 * @param {string} path
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {{ route: string }} measured
 */
async function answerMachine(path, request, response, measured) {
  keepCarriedHeaders(request.headers);
  measured.route = "machine";
  if (!findRoute) return handle(...throughNext(path, request, response));
  const match = findRoute(path);
  if (!match) return refuse(request, response, 404);
  measured.route = match.pattern;
  await answerDirectly(match, request, response, fixedHeadersOf(match.path));
}

async function isDatabaseThere() {
  return (await findShared("isDatabaseThere")?.()) ?? false;
}

/**
 * @param {string} path
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
async function answerBrowser(path, request, response) {
  const fault = findPageFault(request, path);
  if (fault) return refuse(request, response, fault);
  keepPageHeaders(request);
  // Next adds ten close listeners per page. With ours, Node would warn of a leak.
  response.setMaxListeners(20);
  if (request.method !== "POST") {
    const ask = () => askNextForPage(request, response);
    const make = (/** @type {Parameters<Parameters<typeof answerKept>[3]>[0]} */ keep) =>
      answerInTurn(path, request, response, ask, keep);
    return answerKept(path, request, response, make, isDatabaseThere);
  }
  continueIfExpected(request, response);
  const kind = formKind(path);
  const outcome = await readForm(request, kind, actions);
  // Answered with 400 meanwhile, because the body broke off.
  if (response.writableEnded) return;
  if ("retrySeconds" in outcome) return refuseBusy(kind, outcome.retrySeconds, request, response);
  if ("status" in outcome) {
    // This header makes Next's router reload a page of another version.
    if (outcome.status === 409) response.setHeader("X-Nextjs-Action-Not-Found", "1");
    return refuse(request, response, outcome.status, outcome.status === 408 ? { Connection: "close" } : {});
  }
  const { form } = outcome;
  await answerInTurn(path, form, response, () => askNextForPage(form, response));
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
function askNextForPage(request, response) {
  markForInner(request.headers);
  return handle(request, response);
}

tellOfLog();
tellOfProcess();
await app.prepare();
await openDirectDoor();
const listeningOn = await listen(server, port, hostname).catch((error) => failToListen(error, port, hostname));
await Promise.all([startOps(), dev || addListeners(server)]);
// Code that waits for this finds all of it there.
if (process.send) process.send({ port: listeningOn });
else logInfo("listening", `${hostname}:${listeningOn}`);

/** Opens the direct door. Only a build has all handlers; the development server compiles them on demand. */
async function openDirectDoor() {
  if (dev) return;
  try {
    findRoute = await loadRoutes(distDir);
  } catch (error) {
    logError("direct door closed: Next's router answers everything", String(error));
  }
}

/**
 * The name under which this machine reaches what listens on `host`.
 * @param {string} host
 */
function reachable(host) {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIPv6(host) ? `[${host}]` : host;
}
