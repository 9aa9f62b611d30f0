import { DAY } from "@/lib/format/time";
import { servedOrigin } from "@/lib/http/own-origin";
import { env } from "@/lib/process/env";

/** How long the text says that it holds; RFC 9116 wants less than a year. */
const LASTS = 180 * DAY;

/** The text of /.well-known/security.txt (RFC 9116); null without CONTACT_URL. It is the same all day. */
export function securityText(headers: Headers, now: Date): string | null {
  if (!env.contactUrl) return null;
  const expires = new Date(Math.floor(now.getTime() / DAY) * DAY + LASTS).toISOString();
  const canonical = `${servedOrigin(headers)}/.well-known/security.txt`;
  return `Contact: ${env.contactUrl}\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: ${canonical}\n`;
}
