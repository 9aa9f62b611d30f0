/**
 * The paths for machines, with everything under them: the API, the ingest endpoints, documents and monitoring. Handlers
 * answer them, never a page. The last ones are nowhere: programs that speak MCP guess them where they look for OAuth.
 */
export const MACHINE_PATHS = [
  "/api",
  "/ingest",
  "/mcp",
  "/metrics",
  "/openapi.json",
  "/changelog.md",
  "/docs/api.md",
  "/docs/health-score.json",
  "/llms.txt",
  "/clients/console-api.postman.json",
  "/.well-known",
  "/healthz",
  "/readyz",
  "/register",
  "/authorize",
  "/token",
];

const MACHINE_PATH = new RegExp(`^(?:${MACHINE_PATHS.join("|").replaceAll(".", "\\.")})(?:/|$)`);

/**
 * Whether a path, its slashes collapsed, is answered by a handler and never by a page.
 * @param {string} path without its query
 */
export function isMachinePath(path) {
  return MACHINE_PATH.test(path);
}
