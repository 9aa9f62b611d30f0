// Tells whether this process is shutting down. The server sets it, /readyz reads it, and long waits end early.
import { shared } from "./shared-with-server.mjs";

/** @type {import("./shared-with-server.mjs").Shared["draining"]} */
const draining = shared("draining", () => ({ hasBegun: false, listeners: [] }));

/** From now on /readyz answers 503, so that load balancers send their requests elsewhere. */
export function startDraining() {
  draining.hasBegun = true;
  for (const listener of draining.listeners) listener();
}

export function isDraining() {
  return draining.hasBegun;
}

/**
 * Calls the listener when the process is about to end.
 * @param {() => void} listener
 */
export function onDraining(listener) {
  draining.listeners.push(listener);
}
