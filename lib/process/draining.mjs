// Whether this process is about to end. The server says so and /readyz asks: the two are bundled apart, so the fact lives
// in the process, not in a module.
const DRAINING = Symbol.for("console-api.draining");

/** From now on /readyz answers 503, so that load balancers send their requests elsewhere. */
export function startDraining() {
  Reflect.set(globalThis, DRAINING, true);
}

export function isDraining() {
  return Reflect.has(globalThis, DRAINING);
}
