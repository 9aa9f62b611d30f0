import { isDatabaseUnavailable, isPoolExhausted } from "@/lib/database/health";
import { reportOutage } from "@/lib/database/outage";
import { InvalidInputError, NotFoundError } from "@/lib/failures";
import { TextResponse } from "@/lib/http/text-response";
import { BusyError, reportBusy } from "@/lib/process/fair";
import { logFault } from "@/lib/process/faults.mjs";
import { ApiError } from "./api-error";
import { failureText } from "./failure-text.mjs";

/** How long a caller is asked to wait while the database is away, in seconds. */
const DATABASE_RETRY_AFTER = 5;

const CHALLENGE = 'Bearer realm="console-api"';
const INVALID_TOKEN_CHALLENGE = `${CHALLENGE}, error="invalid_token"`;

/** The answer to a request without a usable Authorization header (contract 5.1). */
export const missingToken = () =>
  new ApiError(401, 'Missing access token. Send "Authorization: Bearer <token>".', { "WWW-Authenticate": CHALLENGE });

/** The answer to credentials without the form or the checksum of a token. No database is asked. */
export const malformedToken = () =>
  new ApiError(401, "Malformed access token: it looks incomplete or mistyped.", {
    "WWW-Authenticate": INVALID_TOKEN_CHALLENGE,
  });

/** One message for unknown, revoked and expired tokens, disabled accounts, and use outside of networks (contract 7). */
export const invalidToken = () =>
  new ApiError(401, "Invalid or revoked access token.", { "WWW-Authenticate": INVALID_TOKEN_CHALLENGE });

/** The answer to methods that do not read (contract 1). */
export const methodNotAllowed = (allow: string) =>
  new ApiError(405, "Method not allowed. This API is read-only; use GET.", { Allow: allow });

/** `waitSeconds` is a whole number: a client that sleeps exactly that long is let in (contract 7, 8). */
export const rateLimitExceeded = (waitSeconds: number) =>
  new ApiError(429, `Rate limit exceeded. Retry in ${waitSeconds} ${waitSeconds === 1 ? "second" : "seconds"}.`, {
    "Retry-After": String(waitSeconds),
  });

/** The answer to a fault of ours. The caller learns the request id alone. */
export const internalError = () => new ApiError(500, "Internal error.");

/** The database is away, or the caller asks for more than its share; the latter is not counted. */
export const unavailable = (retryAfterSeconds = DATABASE_RETRY_AFTER) =>
  new ApiError(503, "Service temporarily unavailable. Retry in a few seconds.", {
    "Retry-After": String(retryAfterSeconds),
  });

/**
 * Turns anything thrown during a request into an answer. Faults of ours are logged with their stack and the request id.
 * The caller gets only that id.
 */
export function toApiError(
  error: unknown,
  request: { id: string; method: string; endpoint: string | null; path: string },
): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof NotFoundError) return new ApiError(404, error.message);
  if (error instanceof InvalidInputError) return new ApiError(400, error.message);
  if (error instanceof BusyError) return unavailable(error.retrySeconds);
  if (isPoolExhausted(error)) {
    reportBusy("connections", null);
    return unavailable();
  }
  const { id, ...rest } = request;
  const fields = { request_id: id, ...rest };
  if (isDatabaseUnavailable(error)) {
    reportOutage(error, fields);
    return unavailable();
  }
  logFault("request failed", error, fields);
  return internalError();
}

/** A failure as the caller sees it (contract 2, 7). `body` replaces the JSON for answers in plain text. */
export function errorResponse(error: ApiError, headers: Headers, body: string = failureText(error.message)): Response {
  for (const [name, value] of Object.entries(error.headers)) headers.set(name, value);
  return new TextResponse([body], error.status, headers);
}
