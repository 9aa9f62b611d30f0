import { readChangelog } from "@/lib/changelog";
import { answerPublicPreflight, publicText } from "@/lib/http/public-text";

export const dynamic = "force-dynamic";

/** The changelog as it stands in the project, for anybody and from any origin. */
export function GET(request: Request): Response {
  return publicText(request, readChangelog(), "text/markdown; charset=utf-8");
}

export const HEAD = GET;
export const OPTIONS = answerPublicPreflight;
