// Tells whether this process is shutting down. The server sets it, /readyz reads it, and long waits end early. These
// are bundled separately, so the state lives on globalThis and not in a module.
const DRAINING = Symbol.for("console-api.draining");
const LISTENERS = Symbol.for("console-api.draining-listeners");

/** From now on /readyz answers 503, so that load balancers send their requests elsewhere. */
export function startDraining() {
  Reflect.set(globalThis, DRAINING, true);
  for (const listener of listeners()) listener();
}

export function isDraining() {
  return Reflect.has(globalThis, DRAINING);
}

/**
 * Calls the listener when the process is about to end.
 * @param {() => void} listener
 */
export function onDraining(listener) {
  listeners().push(listener);
}

/** @returns {(() => void)[]} */
function listeners() {
  const known = Reflect.get(globalThis, LISTENERS) ?? [];
  Reflect.set(globalThis, LISTENERS, known);
  return known;
}
