import { ApiError } from "@/lib/api/api-error";
import { databaseNow } from "@/lib/database/clock";
import { settleSoon } from "@/lib/game-services/edges/configuration";
import { type AuthenticatedNode, authenticateNodeKey, markHeard } from "@/lib/game-services/edges/nodes";
import { bearerCredentials } from "@/lib/http/bearer";
import { clientIp } from "@/lib/http/client-ip";
import { env } from "@/lib/process/env";
import type { Policy } from "@/lib/rate-limit";
import { quotaOf } from "./quota";
import { challenge } from "./reporter";

/**
 * Authenticates an edge node by its key, counts the request and notes that the node was heard. Server keys and API tokens
 * are refused. @throws ApiError 401, 429
 */
export async function requireNode(request: Request, policy: Policy): Promise<AuthenticatedNode> {
  const node = await identifyNode(request);
  await quotaOf(policy, String(node.id)).count();
  await noteHeard(node, request);
  return node;
}

/** The edge node whose key the request brings. @throws ApiError 401 */
export async function identifyNode(request: Request): Promise<AuthenticatedNode> {
  const credentials = bearerCredentials(request.headers);
  if (!credentials) {
    throw new ApiError(401, 'Missing edge node key. Send "Authorization: Bearer <edge node key>".', challenge());
  }
  const node = await authenticateNodeKey(credentials, new Date());
  // One message for a missing, foreign, replaced or removed key, so that callers cannot probe for keys.
  if (!node) throw new ApiError(401, "Invalid or replaced edge node key.", challenge(', error="invalid_token"'));
  return node;
}

/** Notes that a node was heard, and from where. */
export async function noteHeard(node: AuthenticatedNode, { headers }: Request): Promise<void> {
  const sender = { ip: clientIp(headers, env.trustedProxies), agent: headers.get("user-agent") };
  if (await markHeard(node, sender, databaseNow())) settleSoon();
}
