import { DAY } from "@/lib/format/time";
import { servedOrigin } from "@/lib/http/own-origin";
import { publicText } from "@/lib/http/public-text";
import { env } from "@/lib/process/env";

export const dynamic = "force-dynamic";

/** How long the text says that it holds; RFC 9116 wants less than a year. */
const LASTS = 180 * DAY;

/** Where to report a weakness (RFC 9116), the same all day; 404 where the operator named no contact. */
export const { GET, HEAD, OPTIONS } = publicText("text/plain; charset=utf-8", (headers) => {
  if (!env.contactUrl) return null;
  const expires = new Date(Math.floor(Date.now() / DAY) * DAY + LASTS).toISOString();
  const canonical = `${servedOrigin(headers)}/.well-known/security.txt`;
  return `Contact: ${env.contactUrl}\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: ${canonical}\n`;
});
