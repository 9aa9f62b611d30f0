import { HEALTH_SCORE_RULES } from "@/lib/api/health-score-rules";
import { publicText } from "@/lib/http/public-text";

export const dynamic = "force-dynamic";

const TEXT = JSON.stringify(HEALTH_SCORE_RULES);

/** The curves and weights of the health score. */
export const { GET, HEAD, OPTIONS } = publicText("application/json; charset=utf-8", () => TEXT);
