import { writePostmanCollection } from "@/lib/api/postman-collection";
import { servedText } from "@/lib/api/served-document";
import { answerPublicPreflight, publicText } from "@/lib/http/public-text";

export const dynamic = "force-dynamic";

/** The collection for Postman with the origin of this console, for anybody and from any origin. */
export function GET(request: Request): Response {
  const text = servedText(request.headers, "postman", writePostmanCollection);
  return publicText(request, text, "application/json; charset=utf-8");
}

export const HEAD = GET;
export const OPTIONS = answerPublicPreflight;
