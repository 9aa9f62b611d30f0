// How the HTTP server ends: told by SIGTERM it goes on for DRAIN_DELAY, so that load balancers notice; then it stops
// listening and lets running requests finish.
import { setImmediate as nextTurn } from "node:timers/promises";
import { isDraining, startDraining } from "../lib/process/draining.mjs";

/** Requests still running so long after the listener has closed are cut off. */
const FINISH_MS = 10_000;
/** A turn of the event loop shorter than this leaves hardly any time for a connection to come between it and close(). */
const SHORT_TURN_MS = 1;
/** A busy process waits no longer for such a turn. */
const QUIET_MS = 1000;
const DEFAULT_DELAY_SECONDS = 5;

/** How long the server goes on answering after SIGTERM, in milliseconds. */
export function drainDelay() {
  return Number(process.env.DRAIN_DELAY || DEFAULT_DELAY_SECONDS) * 1000;
}

/**
 * Ends this process when it is told to: at SIGTERM after `delayMs`; at Ctrl-C, a closed terminal and the end of its parent
 * at once. Further signals cut nothing off; Ctrl-C ends the delay.
 * @param {import("node:http").Server} server
 * @param {number} delayMs
 */
export function endWhenTold(server, delayMs) {
  const hurry = new AbortController();
  const end = async (/** @type {boolean} */ isPatient) => {
    if (!isPatient) hurry.abort();
    if (isDraining()) return;
    startDraining();
    if (!server.listening) process.exit(0);
    if (delayMs > 0 && !hurry.signal.aborted) {
      await waitFor(delayMs, hurry.signal);
      await untilQuiet(server);
    }
    await close(server);
  };
  process.on("SIGTERM", () => end(true));
  for (const signal of ["SIGINT", "SIGHUP"]) process.on(signal, () => end(false));
  // The parent is gone: so is the database it may have been serving.
  process.once("disconnect", () => end(false));
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function waitFor(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Resolves right after a short turn of the event loop that brought no connection. A connection that the kernel has
 * accepted and this process has not would be reset by close(), and a proxy may not repeat the POST it sent on it.
 * @param {import("node:http").Server} server
 */
async function untilQuiet(server) {
  let connections = 0;
  const count = () => void connections++;
  server.on("connection", count);
  const start = performance.now();
  for (let before = start; ; ) {
    const seen = connections;
    await nextTurn();
    const now = performance.now();
    if ((connections === seen && now - before < SHORT_TURN_MS) || now - start > QUIET_MS) break;
    before = now;
  }
  server.off("connection", count);
}

/**
 * Lets running requests finish, then what they left to be done after their response.
 * @param {import("node:http").Server} server
 */
async function close(server) {
  setTimeout(() => process.exit(0), FINISH_MS).unref();
  const closed = new Promise((resolve) => server.close(resolve));
  // A connection that was busy at the time of close() would be kept alive after its answer.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await closed;
  clearInterval(sweep);
  await Reflect.get(globalThis, Symbol.for("console-api.background-drain"))?.();
  process.exit(0);
}
