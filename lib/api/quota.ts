import { databaseNow } from "@/lib/database/clock";
import { SECOND } from "@/lib/format/time";
import { type Decision, limit, peek } from "@/lib/rate-limit";
import { API_REQUESTS, windowSeconds } from "@/lib/rate-limit/policy";
import { recordLimited } from "@/lib/tokens/use";
import { rateLimitExceeded } from "./errors";

/**
 * Counts a request of the token, or several at once, and writes its quota into the headers.
 * @throws ApiError 429 when the token has used it up; such a request is not counted.
 */
export async function requireQuota(tokenId: number, headers: Headers, count = 1): Promise<void> {
  applyDecision(await limit(API_REQUESTS, String(tokenId), count), tokenId, headers);
}

/**
 * Refuses a token over its quota before it waits for its share of the process. Counts nothing.
 * @throws ApiError 429 when this process knows already that the token has used its quota up.
 */
export function refuseUsedUp(tokenId: number, headers: Headers): void {
  const decision = peek(API_REQUESTS, String(tokenId));
  if (!decision.accepted) applyDecision(decision, tokenId, headers);
}

function applyDecision(decision: Decision, tokenId: number, headers: Headers): void {
  // Rounded up: a client that waits whole seconds must have waited long enough.
  const waitSeconds = Math.ceil(decision.waitMs / SECOND);
  setQuotaHeaders(headers, decision, waitSeconds);
  if (decision.accepted) return;
  recordLimited(tokenId, databaseNow().getTime());
  throw rateLimitExceeded(Math.max(1, waitSeconds));
}

/** The IETF fields (draft-ietf-httpapi-ratelimit-headers) and their older relatives. */
function setQuotaHeaders(headers: Headers, decision: Decision, waitSeconds: number): void {
  headers.set("RateLimit-Policy", `"default";q=${API_REQUESTS.limit};w=${windowSeconds(API_REQUESTS)}`);
  headers.set("RateLimit", `"default";r=${decision.remaining};t=${waitSeconds}`);
  headers.set("X-RateLimit-Limit", String(decision.limit));
  headers.set("X-RateLimit-Remaining", String(decision.remaining));
  headers.set("X-RateLimit-Reset", String(Math.ceil((Date.now() + decision.waitMs) / SECOND)));
}
