import { randomUUID } from "node:crypto";

/** The methods of the API, which is read-only (contract 1). */
export const ALLOW = "GET, HEAD, OPTIONS";

/**
 * What a browser may do for a page of another origin. Headers stand by name, because a wildcard never covers
 * Authorization; many programs send Content-Type with every request.
 */
export const PREFLIGHT_HEADERS = {
  Allow: ALLOW,
  "Access-Control-Allow-Methods": ALLOW,
  "Access-Control-Allow-Headers": "Authorization, Content-Type",
  "Access-Control-Max-Age": "7200",
} as const;

/** Answers a CORS preflight. Browsers send it without a token, so it is not counted. */
export function answerPreflight(): Response {
  return new Response(null, { status: 204, headers: { ...PREFLIGHT_HEADERS, "X-Request-Id": randomUUID() } });
}
