import type { FirstUse } from "@/app/ui/use-first-use";
import { findId } from "@/lib/http/ids";
import { findAccount } from "@/lib/sign-in/sessions";
import { findToken } from "@/lib/tokens/management";

/** The page of a new token polls this with `?id=`. It answers with the token's first request, or null before that. */
export async function GET(request: Request): Promise<Response> {
  const account = await findAccount();
  const id = findId(new URL(request.url).searchParams.get("id") ?? "");
  const token = account && id !== null ? await findToken(account.id, id) : null;
  if (!token) return Response.json(null, { status: 404 });
  const { firstUsedAt, firstUsedIp } = token;
  const use: FirstUse | null = firstUsedAt && { at: firstUsedAt.getTime(), ip: firstUsedIp, now: Date.now() };
  return Response.json(use);
}
