/** What needs nothing of Next: the API, where machines report, and what describes or watches the console. */
const MACHINE_PATH = /^\/(?:api\/v1|ingest|metrics|openapi\.json|healthz|readyz)(?:\/|$)/;

/**
 * Whether a path, its slashes collapsed, is answered by a handler and never by a page.
 * @param {string} path
 */
export function isMachinePath(path) {
  return MACHINE_PATH.test(path);
}
