import { databaseNow } from "@/lib/database/clock";
import { NotFoundError } from "@/lib/failures";
import { bearerCredentials } from "@/lib/http/bearer";
import { clientIp } from "@/lib/http/client-ip";
import { isPublicIp } from "@/lib/http/public-ip";
import { env } from "@/lib/process/env";
import { fair } from "@/lib/process/fair";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { parseCheckInBody } from "./check-in-body";
import { type Answer, json } from "./endpoint";
import { requireJson } from "./read-body";
import { invalidServerKey, notingRefusal, requireReporter, senderOf } from "./reporter";
import { type BodyRules, withBody } from "./with-body";

const MAX_CHECK_IN_BYTES = 16 * 1024;

const RULES: BodyRules = {
  requireType: requireJson,
  maxBytes: () => MAX_CHECK_IN_BYTES,
};

/**
 * Receives one check-in of a daemon: 401, then as `withBody`. Then stores it in the turn of the account. `stored` is false
 * for a sample that was delivered before. @throws ApiError with what the daemon is told, BusyError.
 */
export async function deliverCheckIn(request: Request): Promise<Answer> {
  const ip = clientIp(request.headers, env.trustedProxies);
  const how = 'Send "Authorization: Bearer <server key>".';
  const reporter = await requireReporter(bearerCredentials(request.headers), how);
  const sender = senderOf(reporter);
  const read = (bytes: Buffer) => {
    const arrivedAt = databaseNow();
    return { arrivedAt, ...parseCheckInBody(bytes, arrivedAt) };
  };
  const store = async ({ report, ...sampled }: ReturnType<typeof read>) => {
    const publicIp = report.publicIp ?? (ip !== null && isPublicIp(ip) ? ip : undefined);
    try {
      const stored = await fair("report", sender.asker, async () => {
        await sender.quota.count();
        const key = { id: reporter.keyId, ip };
        return storeCheckIn(reporter.serverId, { ...report, publicIp }, { ...sampled, key });
      });
      return json({ data: { stored } });
    } catch (error) {
      // The server was removed after its key was checked.
      if (error instanceof NotFoundError) throw invalidServerKey();
      throw error;
    }
  };
  return notingRefusal(reporter, () => withBody(request, sender, RULES, read, store));
}
