import { randomBytes } from "node:crypto";
import type { Metadata } from "next";
import { Outcome } from "@/app/dashboard/outcome";
import { Code } from "@/app/ui/name";
import { Notice } from "@/app/ui/notice";
import { PageHeader } from "@/app/ui/page-header";
import { Section } from "@/app/ui/section";
import { exampleBody } from "@/lib/notices/channels/webhook-example";
import { listChannels, MAX_CHANNELS, mailFailure, sendableKinds } from "@/lib/notices/management";
import { readChoices } from "@/lib/notices/settings";
import { requireAccount } from "@/lib/sign-in/sessions";
import { AddChannel } from "./add-channel";
import { ChannelCard } from "./channel-card";
import styles from "./notices.module.css";
import { OUTCOMES } from "./outcomes";
import { RulesForm } from "./rules-form";

export const metadata: Metadata = { title: "Notices" };

/** By which channels an account is told what happens to its servers. */
export default async function Page({ searchParams }: PageProps<"/dashboard/settings/notices">) {
  const account = await requireAccount();
  const now = new Date();
  const [{ done }, channels, choices] = await Promise.all([
    searchParams,
    listChannels(account.id),
    readChoices(account.id),
  ]);
  const kinds = sendableKinds();
  const failure = mailFailure(channels);
  return (
    <main id="main" className="page parts">
      <Outcome done={done} sentences={OUTCOMES} />
      <PageHeader title="Notices">
        The console tells you what happens to your servers, game services and tokens: by mail, to a webhook, or in
        Discord.
      </PageHeader>
      {kinds.length === 0 && (
        <Notice tone="warning" isQuiet>
          Notices are off on this console. Its operator switches them on with <Code>NOTICE_KEY</Code>, and mail with{" "}
          <Code>SMTP_URL</Code> and <Code>MAIL_FROM</Code>.
        </Notice>
      )}
      {kinds.length > 0 && !kinds.includes("mail") && (
        <Notice tone="warning" isQuiet>
          Mail is off on this console. Its operator switches it on with <Code>SMTP_URL</Code> and <Code>MAIL_FROM</Code>
          .
        </Notice>
      )}
      {failure !== null && kinds.includes("mail") && (
        <Notice tone="warning" isQuiet>
          No mail goes out at the moment: {failure} What is due is tried again; other channels do not wait for it.
        </Notice>
      )}
      <Section id="channels" title="Channels" note={channels.length > 0 && `${channels.length} of ${MAX_CHANNELS}`}>
        {channels.length === 0 && <p>There is no channel yet, so nobody is told anything.</p>}
        {channels.length > 0 && (
          <div className={`columns ${styles.wide}`}>
            {channels.map((channel) => (
              <ChannelCard key={channel.id} channel={channel} now={now} />
            ))}
          </div>
        )}
      </Section>
      <Section id="rules" title="What you are told">
        <RulesForm current={choices} zone={choices.zone ?? account.timeZone} />
      </Section>
      {kinds.length > 0 && (
        <Section id="add" title="Add a channel">
          <div className="stack">
            {kinds.map((kind) => (
              <AddChannel
                key={kind}
                kind={kind}
                formNonce={randomBytes(16).toString("base64url")}
                example={kind === "webhook" ? exampleBody(now.getTime(), account.timeZone) : null}
              />
            ))}
          </div>
        </Section>
      )}
    </main>
  );
}
