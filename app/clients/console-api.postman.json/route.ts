import { withdrawnText } from "@/lib/http/public-text";

export const dynamic = "force-dynamic";

/** Where the collection for Postman was. */
export const { GET, HEAD, OPTIONS } = withdrawnText(
  "The collection for Postman was withdrawn: import /openapi.json into Postman, which makes the same requests of it.",
);
