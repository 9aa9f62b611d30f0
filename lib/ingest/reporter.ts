import { ApiError } from "@/lib/api/api-error";
import { MINUTE } from "@/lib/format/time";
import { fair } from "@/lib/process/fair";
import { logRepeated } from "@/lib/process/repeated.mjs";
import type { Policy } from "@/lib/rate-limit";
import { authenticateServerKey, type Reporter } from "@/lib/servers/server-key-authentication";
import { noteRefusal } from "@/lib/servers/telemetry/refusals";
import { quotaOf } from "./quota";
import { isForBody, type Sender } from "./with-body";

/** Two a minute are usual; a daemon that kept an hour of them while the console was away delivers all in a minute. */
const CHECK_INS: Policy = { name: "check-ins", limit: 300, windowMs: MINUTE };

/**
 * The server whose key the credentials are. API tokens are refused. `how` tells a sender without credentials how to send
 * them. @throws ApiError 401
 */
export async function requireReporter(credentials: string | null, how: string): Promise<Reporter> {
  if (!credentials) throw new ApiError(401, `Missing server key. ${how}`, challenge());
  const reporter = await authenticateServerKey(credentials);
  if (!reporter) throw invalidServerKey();
  return reporter;
}

/** Reports of all endpoints count together, by key. */
export function senderOf({ keyId, accountId }: Reporter): Sender {
  return { asker: accountId, quota: quotaOf(CHECK_INS, String(keyId)) };
}

/** Runs a delivery. If its body is refused, the page of the server says why. */
export async function notingRefusal<Result>(reporter: Reporter, deliver: () => Promise<Result>): Promise<Result> {
  try {
    return await deliver();
  } catch (error) {
    if (isForBody(error)) await note(reporter, { refused: error.message });
    throw error;
  }
}

/** As `noteRefusal`, in the turn of the account. What fails is only logged: the sender is told the same anyway. */
export async function note({ serverId, accountId }: Reporter, reason: Parameters<typeof noteRefusal>[1]) {
  try {
    await fair("report", accountId, () => noteRefusal(serverId, reason));
  } catch (error) {
    logRepeated({ level: "error", event: "refused body not noted" }, { reason: String(error) });
  }
}

/** One message for a missing, foreign, replaced or removed key, so that callers cannot probe for keys. */
export function invalidServerKey(): ApiError {
  return new ApiError(401, "Invalid or replaced server key.", challenge(', error="invalid_token"'));
}

/** The header of a 401, with what is wrong with the key. */
export function challenge(detail = ""): Record<string, string> {
  return { "WWW-Authenticate": `Bearer realm="console-ingest"${detail}` };
}
