// Shuts the HTTP server down. After SIGTERM it serves for DRAIN_DELAY, so that load balancers notice. Then it stops
// listening and lets running requests finish.
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { isDraining, startDraining } from "../lib/process/draining.mjs";
import { log } from "../lib/process/log.mjs";
import { findShared } from "../lib/process/shared-with-server.mjs";
import { closeListeners } from "./http/listeners.mjs";
import { countRequests } from "./ops/requests.mjs";

/** Running requests get this long after the listener has closed. */
const FINISH_MS = 10_000;
/** During an event-loop turn shorter than this, a new connection hardly ever arrives before close(). */
const SHORT_TURN_MS = 1;
/** The longest wait for such a turn. A busy process may never have one. */
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
  const end = async (/** @type {string} */ reason) => {
    const isPatient = reason === "SIGTERM";
    if (!isPatient) hurry.abort();
    if (isDraining()) return;
    startDraining();
    logStopAtExit(reason);
    if (!server.listening) process.exit(0);
    if (delayMs > 0 && !hurry.signal.aborted) {
      await wait(delayMs, null, { signal: hurry.signal }).catch(() => {});
      await untilQuiet(server);
    }
    await close(server);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => end(signal));
  // The parent is gone: so is the database it may have been serving.
  process.once("disconnect", () => end("its parent ended"));
}

/** Logs at the very end why this process stopped, how long that took, and which requests it still answered. */
function logStopAtExit(/** @type {string} */ reason) {
  const began = performance.now();
  const before = countRequests().finished;
  process.once("exit", () => {
    const { running, finished } = countRequests();
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    log("info", "stopped", { reason, seconds, finished: finished - before, cut_off: running });
  });
}

/**
 * Resolves right after a short event-loop turn without a new connection. close() resets connections that the kernel
 * has accepted and this process has not. A proxy may not repeat a POST that it sent on such a connection.
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
  const closed = closeListeners(server);
  // close() does not end busy connections; they would stay open after their answer.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await closed;
  clearInterval(sweep);
  await findShared("drainBackground")?.();
  process.exit(0);
}
