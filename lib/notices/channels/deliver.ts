import { consoleAddress } from "@/lib/notices/console-address";
import type { Message, Outcome } from "@/lib/notices/message";
import { open, SealedTextError } from "@/lib/notices/secrets";
import { UNSUBSCRIBE } from "@/lib/page-paths";
import { env } from "@/lib/process/env";
import * as discord from "./discord";
import * as mail from "./mail";
import * as webhook from "./webhook";

/** Takes the POST of mail programs, without a cookie and from nowhere (RFC 8058). */
const ONE_CLICK = "/ingest/notices/unsubscribe";

/** What is needed of a row of `notice_channels`. */
type ChannelRow = { accountId: number; kind: string; sealed: string | null; email: string | null };

/** What `sealed` holds of a webhook or Discord (its address and secrets; epoch ms), and of mail (what ends it). */
export type SealedChannel = { url?: string; secrets?: string[]; rotatedAt?: number; unsubscribe?: string };

/** Sends a message by a channel, one attempt. Never throws. */
export async function deliver(channel: ChannelRow, message: Message, signal: AbortSignal): Promise<Outcome> {
  try {
    const sealed = openChannel(channel);
    const whole = { ...message, link: consoleAddress() + message.link };
    const attempt = { signal, allowPrivate: env.allowPrivateWebhooks };
    const { url = "", secrets = [], unsubscribe = "" } = sealed;
    if (channel.kind === "webhook") return await webhook.send({ url, secrets }, whole, attempt);
    if (channel.kind === "discord") return await discord.send({ url }, whole, attempt);
    if (!env.mail) return { kind: "again", reason: mail.NO_SERVER, arrived: "no" };
    const target = {
      email: channel.email ?? "",
      unsubscribe: `${consoleAddress()}${UNSUBSCRIBE}?key=${unsubscribe}`,
      oneClick: `${consoleAddress()}${ONE_CLICK}/${unsubscribe}`,
      server: env.mail,
    };
    return await mail.send(target, whole, { signal });
  } catch (error) {
    // The operator can give back the key, so it is tried again.
    if (error instanceof SealedTextError) return { kind: "again", reason: error.message, arrived: "no" };
    throw error;
  }
}

/** What a channel keeps secret. @throws SealedTextError */
export function openChannel({ accountId, sealed }: Pick<ChannelRow, "accountId" | "sealed">): SealedChannel {
  return sealed === null ? {} : (JSON.parse(open(sealed, accountId, env.noticeKeys)) as SealedChannel);
}
