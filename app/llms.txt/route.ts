import { writeLlms } from "@/lib/api/llms";
import { servedText } from "@/lib/api/served-document";
import { answerPublicPreflight, publicText } from "@/lib/http/public-text";

export const dynamic = "force-dynamic";

/** What a language model needs to ask the API, for anybody and from any origin. */
export function GET(request: Request): Response {
  const text = servedText(request.headers, "llms", writeLlms);
  return publicText(request, text, "text/plain; charset=utf-8");
}

export const HEAD = GET;
export const OPTIONS = answerPublicPreflight;
