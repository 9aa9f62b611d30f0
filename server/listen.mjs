// The server listens only when it can answer. Whether the port is free is checked first, before the slow start.
import { createServer } from "node:net";
import { logError } from "./log.mjs";

/** @typedef {import("node:net").AddressInfo} AddressInfo */

/**
 * Connections that may wait to be taken; the system may allow fewer. With Node's 511 the system resets some of 1,500 clients
 * that come at once, when they have sent a request already.
 */
export const BACKLOG = 4096;

/**
 * Listens and returns the port. With 0 the system chooses one.
 * @param {import("node:net").Server} server
 * @param {number} port
 * @param {string} host
 * @returns {Promise<number>}
 * @throws Error with a sentence, when that is not possible
 */
export function listen(server, port, host) {
  return new Promise((resolve, reject) => {
    const fail = (/** @type {NodeJS.ErrnoException} */ error) =>
      reject(new Error(error.code === "EADDRINUSE" ? "the port is in use" : error.message));
    server.once("error", fail);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off("error", fail);
      resolve(/** @type {AddressInfo} */ (server.address()).port);
    });
  });
}

/**
 * Checks that `listen` will succeed, before the server spends seconds starting. Returns the port; for 0, a free one.
 * @param {number} port
 * @param {string} host
 * @returns {Promise<number>}
 * @throws Error as `listen` does
 */
export async function requireFree(port, host) {
  const server = createServer();
  const found = await listen(server, port, host);
  await new Promise((resolve) => server.close(resolve));
  return found;
}

/**
 * Tells the parent, or a person, why the server cannot listen, and ends the process.
 * @param {unknown} error
 * @param {number} port
 * @param {string} host
 * @returns {Promise<never>}
 */
export function failToListen(error, port, host) {
  const problem = error instanceof Error ? error.message : String(error);
  const end = () => process.exit(1);
  if (process.send) process.send({ error: problem }, end);
  else {
    logError("cannot listen", `${host}:${port}: ${problem}`);
    end();
  }
  return new Promise(() => {});
}
