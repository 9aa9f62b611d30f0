/**
 * The first segments of the paths that machines ask for: the API, where machines report, and what describes or watches
 * the console. Handlers answer them, and what they get is never a page.
 */
export const MACHINE_SEGMENTS = ["api", "ingest", "metrics", "openapi.json", "healthz", "readyz"];

const MACHINE_PATH = new RegExp(`^/(?:${MACHINE_SEGMENTS.join("|").replaceAll(".", "\\.")})(?:/|$)`);

/**
 * Whether a path, its slashes collapsed, is answered by a handler and never by a page.
 * @param {string} path without its query
 */
export function isMachinePath(path) {
  return MACHINE_PATH.test(path);
}
