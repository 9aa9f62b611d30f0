import { createHmac, randomBytes } from "node:crypto";
import { SECOND } from "@/lib/format/time";
import type { Message, Outcome } from "@/lib/notices/message";
import { type Attempt, post } from "./post";

/** As the specification of Standard Webhooks writes them: the prefix, then base64 of 24 to 64 random bytes. */
const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** What a webhook needs: its address, and the secrets that sign, the newest first. While one is replaced there are two. */
type WebhookTarget = { url: string; secrets: readonly string[] };

/** A new secret for a webhook, which its owner sees once. */
export function mintWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** Sends a message by Standard Webhooks, under its id, by which a receiver recognises a repetition. Never throws. */
export async function send({ url, secrets }: WebhookTarget, message: Message, attempt: Attempt): Promise<Outcome> {
  const { id } = message;
  const body = webhookBody(message);
  const timestamp = String(Math.floor(Date.now() / SECOND));
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => signature(secret, `${id}.${timestamp}.${body}`)).join(" "),
  };
  return post(url, body, headers, attempt);
}

/** What is sent of a message, the same in every attempt. `link` is a whole address. */
export function webhookBody({ title, lines, events, link, at }: Message, indent?: number): string {
  return JSON.stringify({ type: "notice", timestamp: at, data: { title, lines, events, link } }, null, indent);
}

function signature(secret: string, signed: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}
