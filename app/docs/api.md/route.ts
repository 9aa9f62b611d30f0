import { writeServedReference } from "@/lib/api/reference";
import { servedText } from "@/lib/api/served-document";
import { publicText } from "@/lib/http/public-text";

export const dynamic = "force-dynamic";

/** The reference of the API as Markdown. */
export const { GET, HEAD, OPTIONS } = publicText(
  "text/markdown; charset=utf-8",
  servedText("reference", writeServedReference),
);
