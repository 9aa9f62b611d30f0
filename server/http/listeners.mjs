// A listener takes one new connection in each turn of the event loop. While many requests make the turns long, a client
// waits behind all that connected before it. Several listeners of the same socket take several in a turn.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { BACKLOG } from "../listen.mjs";
import { logError } from "../log.mjs";
import { READ_AHEAD } from "./connections.mjs";

/** Listeners besides the first one. With 7, 200 connections at turns of 10 ms are taken in 0.4 instead of 2.3 seconds. */
const FURTHER = 7;
const LONGEST_MS = 10_000;
/** Duplicates a descriptor, which Node itself cannot: another process gets it and sends it back. */
const SEND_BACK = "process.on('message', (message, handle) => process.send(message, handle))";

/** @type {WeakMap<import("node:net").Server, import("node:net").Server[]>} */
const further = new WeakMap();
/** The processes that listeners are still awaited from. @type {WeakMap<import("node:net").Server, import("node:child_process").ChildProcess>} */
const helpers = new WeakMap();

/**
 * All listeners of a server, itself first. Each counts the connections that it took, so all of them are to be closed.
 * @param {import("node:net").Server} server
 */
export function listenersOf(server) {
  return [server, ...(further.get(server) ?? [])];
}

/**
 * Closes all listeners of a server, those that are still being added as well: any that is left open keeps the port.
 * Resolves when they have no connection left.
 * @param {import("node:net").Server} server
 */
export async function closeListeners(server) {
  helpers.get(server)?.kill("SIGKILL");
  await Promise.all(listenersOf(server).map((one) => new Promise((resolve) => one.close(resolve))));
}

/**
 * Adds listeners to a server that listens. Resolves when they are there, or when the server has to do without.
 * @param {import("node:http").Server} server
 * @returns {Promise<void>}
 */
export function addListeners(server) {
  /** @type {import("node:net").Server[]} */
  const added = [];
  further.set(server, added);
  const child = spawn(process.execPath, ["-e", SEND_BACK], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    // It needs nothing of the environment, which holds secrets.
    env: { NODE_ENV: "production" },
  });
  helpers.set(server, child);
  const deadline = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
  child.on("message", (_, handle) => {
    if (server.listening) added.push(listenOn(handle, server));
    else Reflect.get(handle ?? {}, "close")?.call(handle);
    if (added.length === FURTHER || !server.listening) child.kill("SIGKILL");
  });
  // Only the handle: a process that is sent the server listens as well, and would take connections.
  const handle = Reflect.get(server, "_handle");
  // Without descriptors or processes to spare there is no such process to send to.
  for (let sent = 0; child.connected && sent < FURTHER; sent++) child.send(sent, handle, () => {});
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(deadline);
      if (server.listening && added.length < FURTHER) logError("fewer listeners", `${added.length} of ${FURTHER}`);
      resolve();
    };
    child.once("error", end);
    child.once("exit", end);
  });
}

/**
 * @param {unknown} handle
 * @param {import("node:http").Server} server
 */
function listenOn(handle, server) {
  // The options of Node's HTTP server.
  const options = { allowHalfOpen: true, noDelay: true, highWaterMark: READ_AHEAD };
  const listener = createServer(options, (socket) => server.emit("connection", socket));
  // Each listener sets the backlog of the socket that they share.
  return listener.listen({ _handle: handle }, BACKLOG);
}
