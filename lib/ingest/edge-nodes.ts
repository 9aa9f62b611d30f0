import { ApiError } from "@/lib/api/api-error";
import { rateLimitExceeded } from "@/lib/api/errors";
import { settleSoon } from "@/lib/game-services/edges/configuration";
import { type AuthenticatedNode, authenticateNodeKey, markHeard } from "@/lib/game-services/edges/nodes";
import { clientIp } from "@/lib/http/client-ip";
import { env } from "@/lib/process/env";
import { limit, type Policy } from "@/lib/rate-limit";
import { SECOND } from "@/lib/time";

/**
 * Authenticates an edge node by its key and notes that it was heard. Server keys and API tokens are refused.
 * @throws ApiError 401, 429
 */
export async function requireNode(request: Request, policy: Policy): Promise<AuthenticatedNode> {
  const [, credentials] = /^bearer[ \t]+(.+)$/is.exec(request.headers.get("authorization")?.trim() ?? "") ?? [];
  if (!credentials) {
    throw new ApiError(401, 'Missing edge node key. Send "Authorization: Bearer <edge node key>".', challenge());
  }
  const now = new Date();
  const node = await authenticateNodeKey(credentials, now);
  // One message for a missing, foreign, replaced or removed key, so that callers cannot probe for keys.
  if (!node) throw new ApiError(401, "Invalid or replaced edge node key.", challenge(', error="invalid_token"'));
  const decision = await limit(policy, String(node.id));
  if (!decision.accepted) throw rateLimitExceeded(Math.max(1, Math.ceil(decision.waitMs / SECOND)));
  const sender = { ip: clientIp(request.headers, env.trustedProxies), agent: request.headers.get("user-agent") };
  if (await markHeard(node, sender, now)) settleSoon();
  return node;
}

function challenge(detail = ""): Record<string, string> {
  return { "WWW-Authenticate": `Bearer realm="console-ingest"${detail}` };
}
