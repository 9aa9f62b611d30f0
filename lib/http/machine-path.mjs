/**
 * What machines ask for: the API, where machines report, and what describes or watches the console; these paths and all
 * under them. Handlers answer them, and what they get is never a page.
 */
export const MACHINE_PATHS = [
  "/api",
  "/ingest",
  "/metrics",
  "/openapi.json",
  "/docs/api.md",
  "/llms.txt",
  "/.well-known",
  "/healthz",
  "/readyz",
];

const MACHINE_PATH = new RegExp(`^(?:${MACHINE_PATHS.join("|").replaceAll(".", "\\.")})(?:/|$)`);

/**
 * Whether a path, its slashes collapsed, is answered by a handler and never by a page.
 * @param {string} path without its query
 */
export function isMachinePath(path) {
  return MACHINE_PATH.test(path);
}
