// Whether the client that an answer is made for is still there. The server knows it, and lib/ asks: long work for a
// client that has left stops.
import { AsyncLocalStorage } from "node:async_hooks";
import { shared } from "./shared-with-server.mjs";

const readers = shared("readers", () => new AsyncLocalStorage());

/**
 * Runs a task for a client. The signal says that it has left.
 * @template Result
 * @param {AbortSignal} signal
 * @param {() => Result} task
 * @returns {Result}
 */
export function forReader(signal, task) {
  return readers.run(signal, task);
}

/**
 * Runs a task that goes on when the client has left.
 * @template Result
 * @param {() => Result} task
 * @returns {Result}
 */
export function forNobody(task) {
  return readers.exit(task);
}

/** Whether the client that this work is for has left. */
export function hasReaderLeft() {
  return readers.getStore()?.aborted === true;
}
