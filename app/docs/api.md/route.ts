import { writeReference } from "@/lib/api/reference-markdown";
import { servedDocument } from "@/lib/api/served-document";
import { answerPublicPreflight, publicText } from "@/lib/http/public-text";

export const dynamic = "force-dynamic";

/** The reference of the API as Markdown, for anybody and from any origin. */
export function GET(request: Request): Response {
  const { document, origin } = servedDocument(request.headers);
  return publicText(request, writeReference(document, origin), "text/markdown; charset=utf-8");
}

export const HEAD = GET;
export const OPTIONS = answerPublicPreflight;
