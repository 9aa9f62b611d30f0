// Whether this process is about to end. The server says so; /readyz asks, and what only waits ends then. All of them are
// bundled apart, so the fact lives in the process, not in a module.
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
