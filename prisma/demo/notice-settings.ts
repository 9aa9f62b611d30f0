import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Env } from "@/lib/process/env-variables";
import type { Catcher } from "./catcher";

const MAIL_FROM = "console@demo.example";
/** Beside the data, because it opens what channels in there keep secret. */
const KEY_FILE = "demo-notice.key";
/** 32 bytes in base64, as NOTICE_KEY has them. */
const KEY = /^[A-Za-z0-9+/]{43}=$/;
/** What listens there is reached from this machine alone. */
const LOOPBACK = /^(?:127\.|::1$|localhost$)/;

/**
 * The variables with which the demo sends all mail to its catcher, whatever they were. Everybody knows the demo's passwords, so
 * webhooks may reach private networks only where nobody else reaches the demo.
 */
export function noticeVariables(
  { dataDir, host, noticeKeys }: Pick<Env, "dataDir" | "host" | "noticeKeys">,
  { smtpUrl }: Pick<Catcher, "smtpUrl">,
): Record<string, string> {
  return {
    SMTP_URL: smtpUrl,
    MAIL_FROM,
    ...(noticeKeys.length === 0 && { NOTICE_KEY: keptKey(dataDir) }),
    ...(LOOPBACK.test(host) && { PRIVATE_WEBHOOKS: "allow" }),
  };
}

/** Made at the first start, and the same from then on. */
function keptKey(dataDir: string): string {
  const file = join(dataDir, KEY_FILE);
  const kept = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (KEY.test(kept)) return kept;
  const key = randomBytes(32).toString("base64");
  mkdirSync(dataDir, { recursive: true });
  // Half a key, of a process that ended here, is no key at the next start.
  writeFileSync(file, key, { mode: 0o600 });
  return key;
}
