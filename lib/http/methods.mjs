/**
 * The methods that route handlers can have: those that Next knows. Every other method is refused alike.
 */
const HANDLER_METHODS = /** @type {const} */ (["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]);

/** @type {ReadonlySet<string>} */
const KNOWN = new Set(HANDLER_METHODS);

/**
 * Whether a route handler can have this method.
 * @param {string | undefined} method
 */
export function isHandlerMethod(method) {
  return KNOWN.has(method ?? "");
}
