import type { FirstUse } from "@/app/ui/use-first-use";
import { findNode } from "@/lib/game-services/edges/nodes";
import { findId } from "@/lib/http/ids";
import { findAccount } from "@/lib/sign-in/sessions";

/** What the page of a new key asks for: when the node was heard, or null as long as it was not. */
export async function GET(request: Request): Promise<Response> {
  const account = await findAccount();
  const id = findId(new URL(request.url).searchParams.get("node") ?? "");
  const node = account?.role === "admin" && id !== null ? await findNode(id) : null;
  if (!node) return Response.json(null, { status: 404 });
  const { lastHeardAt, lastHeardIp } = node;
  const first: FirstUse | null = lastHeardAt && { at: lastHeardAt.getTime(), ip: lastHeardIp, now: Date.now() };
  return Response.json(first);
}
