import { writeLlms } from "@/lib/api/reference-markdown";
import { servedText } from "@/lib/api/served-document";
import { answerPublicPreflight, publicText } from "@/lib/http/public-text";

export const dynamic = "force-dynamic";

/** The list of documents for language models, for anybody and from any origin. */
export function GET(request: Request): Response {
  const text = servedText(request.headers, "llms", writeLlms);
  return publicText(request, text, "text/plain; charset=utf-8");
}

export const HEAD = GET;
export const OPTIONS = answerPublicPreflight;
