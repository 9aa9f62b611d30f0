import { HEALTH_SCORE_RULES } from "@/lib/api/health-score-rules";
import { answerPublicPreflight, publicText } from "@/lib/http/public-text";

export const dynamic = "force-dynamic";

const TEXT = JSON.stringify(HEALTH_SCORE_RULES);

/** The curves and weights of the health score, for anybody and from any origin. */
export function GET(request: Request): Response {
  return publicText(request, TEXT, "application/json; charset=utf-8");
}

export const HEAD = GET;
export const OPTIONS = answerPublicPreflight;
