import { writePostmanCollection } from "@/lib/api/postman-collection";
import { servedText } from "@/lib/api/served-document";
import { publicText } from "@/lib/http/public-text";

export const dynamic = "force-dynamic";

/** The collection for Postman with the origin of this console. */
export const { GET, HEAD, OPTIONS } = publicText(
  "application/json; charset=utf-8",
  servedText("postman", writePostmanCollection),
);
