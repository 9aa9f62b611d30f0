import { servedText } from "@/lib/api/served-document";
import { answerPublicPreflight, publicText } from "@/lib/http/public-text";

export const dynamic = "force-dynamic";

/** The document of the API (OpenAPI 3.1), for anybody and from any origin. */
export function GET(request: Request): Response {
  const text = servedText(request.headers, "openapi", (document) => JSON.stringify(document));
  return publicText(request, text, "application/json; charset=utf-8");
}

export const HEAD = GET;
export const OPTIONS = answerPublicPreflight;
