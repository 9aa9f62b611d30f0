import type { FirstUse } from "@/app/ui/use-first-use";
import { findId } from "@/lib/http/ids";
import { listServerKeys } from "@/lib/servers/server-keys";
import { findAccount } from "@/lib/sign-in/sessions";

/** What the page of a new key asks for: the last use of the current key, or null as long as there was none. */
export async function GET(
  _: Request,
  { params }: RouteContext<"/dashboard/servers/[id]/first-check-in">,
): Promise<Response> {
  const account = await findAccount();
  const id = findId((await params).id);
  const keys = account && id !== null ? await listServerKeys(account.id, id) : [];
  const current = keys.find(({ expiresAt }) => expiresAt === null);
  if (!current) return Response.json(null, { status: 404 });
  const { lastUsedAt, lastUsedIp } = current;
  const first: FirstUse | null = lastUsedAt && { at: lastUsedAt.getTime(), ip: lastUsedIp, now: Date.now() };
  return Response.json(first);
}
