import { securityText } from "@/lib/api/security-text";
import { answerPublicPreflight, publicText } from "@/lib/http/public-text";

export const dynamic = "force-dynamic";

/** Where to report a weakness (RFC 9116); 404 where the operator named no contact. */
export function GET(request: Request): Response {
  const text = securityText(request.headers, new Date());
  if (text === null)
    return new Response("Not found.\n", { status: 404, headers: { "Content-Type": "text/plain; charset=utf-8" } });
  return publicText(request, text, "text/plain; charset=utf-8");
}

export const HEAD = GET;
export const OPTIONS = answerPublicPreflight;
