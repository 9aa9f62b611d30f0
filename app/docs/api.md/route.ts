import { writeReference } from "@/lib/api/reference-markdown";
import { servedText } from "@/lib/api/served-document";
import { answerPublicPreflight, publicText } from "@/lib/http/public-text";

export const dynamic = "force-dynamic";

/** The reference of the API as Markdown, for anybody and from any origin. */
export function GET(request: Request): Response {
  const text = servedText(request.headers, "reference", writeReference);
  return publicText(request, text, "text/markdown; charset=utf-8");
}

export const HEAD = GET;
export const OPTIONS = answerPublicPreflight;
