import { servedText } from "@/lib/api/served-document";
import { publicText } from "@/lib/http/public-text";

export const dynamic = "force-dynamic";

/** The document of the API (OpenAPI 3.1). */
export const { GET, HEAD, OPTIONS } = publicText(
  "application/json; charset=utf-8",
  servedText("openapi", (document) => JSON.stringify(document)),
);
