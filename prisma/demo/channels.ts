import { randomBytes } from "node:crypto";
import { db, type Prisma } from "@/lib/database/client";
import type { SealedChannel } from "@/lib/notices/channels/deliver";
import { mintWebhookSecret } from "@/lib/notices/channels/webhook";
import { seal } from "@/lib/notices/secrets";
import { env } from "@/lib/process/env";
import { hashToken } from "@/lib/tokens/format";
import type { Catcher } from "./catcher";
import { FIRST_ACCOUNT } from "./data";

/**
 * Gives the first account of the demo a channel of mail and one of webhooks, which lead to the catcher. Each start has a
 * catcher at another port, so what a channel keeps secret is new at every start, like the token. Its name and whether it is on
 * stay as somebody left them.
 */
export async function leadChannelsTo({ url }: Catcher): Promise<void> {
  const { email } = FIRST_ACCOUNT;
  const { id: accountId } = await db.account.findUniqueOrThrow({ where: { email }, select: { id: true } });
  const keep = async (kind: "mail" | "webhook", name: string, secret: SealedChannel, shown: Shown) => {
    const formNonce = `demo ${kind}`;
    const sealed = seal(JSON.stringify(secret), accountId, env.noticeKeys);
    await db.noticeChannel.upsert({
      where: { accountId_formNonce: { accountId, formNonce } },
      create: { accountId, kind, name, formNonce, confirmedAt: new Date(), sealed, ...shown },
      update: { sealed, ...shown },
    });
  };
  const unsubscribe = randomBytes(32).toString("base64url");
  await keep("mail", "Mail", { unsubscribe }, { email, unsubscribeHash: hashToken(unsubscribe) });
  await keep("webhook", "Webhook", { url, secrets: [mintWebhookSecret()] }, { host: new URL(url).hostname });
}

type Shown = Pick<Prisma.NoticeChannelUncheckedCreateInput, "email" | "unsubscribeHash" | "host">;
