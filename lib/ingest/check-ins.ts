import { PURPOSES, withPlace } from "@/lib/admission/shares";
import { NotFoundError } from "@/lib/failures";
import { bearerCredentials } from "@/lib/http/bearer";
import { clientIp } from "@/lib/http/client-ip";
import { isPublicIp } from "@/lib/http/public-ip";
import { env } from "@/lib/process/env";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { readJsonText } from "./bounded-body";
import { parseCheckInBody } from "./check-in-body";
import { countCheckIn, invalidServerKey, requireReporter } from "./reporter";

export const MAX_CHECK_IN_BYTES = 16 * 1024;

/**
 * Receives one check-in of a daemon. Checks in this order: 401, 429, 415, 413, 408, 400. Then stores it in the turn of
 * the account. `stored` is false for a sample that was delivered before. @throws ApiError with what the daemon is told,
 * BusyError.
 */
export async function deliverCheckIn(request: Request): Promise<{ data: { stored: boolean } }> {
  const ip = clientIp(request.headers, env.trustedProxies);
  const how = 'Send "Authorization: Bearer <server key>".';
  const reporter = await requireReporter(bearerCredentials(request.headers), ip, how);
  await countCheckIn(reporter, PURPOSES.checkIn);
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
