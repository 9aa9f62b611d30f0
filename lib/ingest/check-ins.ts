import { PURPOSES, withPlace } from "@/lib/admission/shares";
import { ApiError } from "@/lib/api/api-error";
import { rateLimitExceeded } from "@/lib/api/errors";
import { NotFoundError } from "@/lib/failures";
import { bearerCredentials } from "@/lib/http/bearer";
import { clientIp } from "@/lib/http/client-ip";
import { isPublicIp } from "@/lib/http/public-ip";
import { env } from "@/lib/process/env";
import { limit, type Policy } from "@/lib/rate-limit";
import { authenticateServerKey, type Reporter } from "@/lib/servers/server-key-authentication";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { MINUTE, SECOND } from "@/lib/time";
import { readJsonText } from "./bounded-body";
import { parseCheckInBody } from "./check-in-body";

export const MAX_CHECK_IN_BYTES = 16 * 1024;

/** Two a minute are usual; a daemon that kept an hour of them while the console was away delivers all in a minute. */
const CHECK_INS: Policy = { name: "check-ins", limit: 300, windowMs: MINUTE };

/**
 * Receives one check-in of a daemon. Checks in this order: 401, 429, 415, 413, 408, 400. Then stores it in the turn of
 * the account. `stored` is false for a sample that was delivered before. @throws ApiError with what the daemon is told,
 * BusyError.
 */
export async function deliverCheckIn(request: Request): Promise<{ data: { stored: boolean } }> {
  const ip = clientIp(request.headers, env.trustedProxies);
  const reporter = await requireReporter(request, ip);
  const decision = await limit(CHECK_INS, String(reporter.keyId));
  if (!decision.accepted) throw rateLimitExceeded(Math.max(1, Math.ceil(decision.waitMs / SECOND)));
  const text = await readJsonText(request, MAX_CHECK_IN_BYTES);
  const arrivedAt = new Date();
  const { report, ...sampled } = parseCheckInBody(text, arrivedAt);
  const publicIp = report.publicIp ?? (ip !== null && isPublicIp(ip) ? ip : undefined);
  try {
    const stored = await withPlace(PURPOSES.checkIn, reporter.accountId, String(reporter.serverId), () =>
      storeCheckIn(
        reporter.serverId,
        { ...report, publicIp },
        { ...sampled, arrivedAt, key: { id: reporter.keyId, ip } },
      ),
    );
    return { data: { stored } };
  } catch (error) {
    // The server was removed after its key was checked.
    if (error instanceof NotFoundError) throw invalidServerKey();
    throw error;
  }
}

/** The server whose key the request carries. API tokens are refused. @throws ApiError 401 */
async function requireReporter(request: Request, ip: string | null): Promise<Reporter> {
  const credentials = bearerCredentials(request.headers);
  if (!credentials) {
    throw new ApiError(401, 'Missing server key. Send "Authorization: Bearer <server key>".', challenge());
  }
  const reporter = await authenticateServerKey(credentials, ip);
  if (!reporter) throw invalidServerKey();
  return reporter;
}

/** One message for a missing, foreign, replaced or removed key, so that callers cannot probe for keys. */
function invalidServerKey(): ApiError {
  return new ApiError(401, "Invalid or replaced server key.", challenge(', error="invalid_token"'));
}

function challenge(detail = ""): Record<string, string> {
  return { "WWW-Authenticate": `Bearer realm="console-ingest"${detail}` };
}
