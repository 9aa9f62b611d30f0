// Tells whether this process is shutting down. The server sets it, /readyz reads it, and long waits end early.
import { perProcess } from "./per-process.mjs";

const draining = perProcess("draining", () => ({ hasBegun: false, listeners: /** @type {(() => void)[]} */ ([]) }));

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
