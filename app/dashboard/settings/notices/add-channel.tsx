"use client";

import { ActionForm } from "@/app/ui/action-form";
import { CodeBlock } from "@/app/ui/code-block";
import { Code, Name } from "@/app/ui/name";
import { SecretPanel } from "@/app/ui/secret-panel";
import { shownOnce } from "@/app/ui/shown-once";
import { TextField } from "@/app/ui/text-field";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { CHANNEL_NAMES, type ChannelKind, MAX_CHANNEL_NAME } from "@/lib/notices/kinds";
import { NOTICE_PAGE } from "@/lib/page-paths";
import { addChannelAction, rotateSecretAction } from "./actions";

/** The form is marked without JavaScript too; the console says exactly what is wrong. */
const MAX_TYPED = 1200;

type Words = { target: string; hint: string; placeholder: string; submit: string };

const WORDS: Readonly<Record<ChannelKind, Words>> = {
  mail: {
    target: "E-mail",
    hint: "The console first sends a mail with a link there, to confirm it.",
    placeholder: "ann@example.com",
    submit: "Add the e-mail",
  },
  webhook: {
    target: "URL",
    hint: "Receives JSON, signed by Standard Webhooks. After this only its host is shown.",
    placeholder: "https://example.com/notices",
    submit: "Add the webhook",
  },
  discord: {
    target: "Webhook URL of a Discord channel",
    hint: "In Discord: channel settings, Integrations, Webhooks, Copy Webhook URL. After this only its host is shown.",
    placeholder: "https://discord.com/api/webhooks/…",
    submit: "Add the Discord channel",
  },
};

/** `example`: what such a channel receives. */
type Props = { kind: ChannelKind; formNonce: string; example: string | null };

/** The form that adds a channel of one kind, and after that the secret of a webhook. */
export const AddChannel = shownOnce(({ kind, formNonce, example }: Props) => {
  const form = useFormAnswer(addChannelAction);
  const { answer, errorOf } = form;
  const { target, hint, placeholder, submit } = WORDS[kind];
  if (answer.kind === "secret") return <NewSecret title={`${answer.name} is added`} secret={answer.secret} />;
  const refused = answer.kind === "refused" ? answer : null;
  return (
    <details className="disclosure" name="add-channel" open={refused !== null || undefined}>
      <summary>{CHANNEL_NAMES[kind]}</summary>
      <ActionForm
        form={form}
        label={submit}
        noValidate
        again="Sending it again is safe: this form adds one channel."
        refusal={errorOf("form")}
        hidden={{ kind, formNonce }}
        submit={[submit, "Adding…"]}
      >
        <TextField
          id={`${kind}-target`}
          name="target"
          label={target}
          hint={hint}
          placeholder={placeholder}
          maxLength={MAX_TYPED}
          value={refused?.values.target ?? ""}
          {...(kind === "mail" && { inputMode: "email" })}
          error={errorOf("target")}
        />
        <TextField
          id={`${kind}-name`}
          name="name"
          label="Name"
          hint="Optional"
          maxLength={2 * MAX_CHANNEL_NAME}
          value={refused?.values.name ?? ""}
          isOptional
          error={errorOf("name")}
        />
        {example && (
          <details className="disclosure">
            <summary>What it receives</summary>
            <div className="stack">
              <p className="soft">
                A POST with <Code>webhook-id</Code>, <Code>webhook-timestamp</Code> and <Code>webhook-signature</Code>.
                Answer with any 2xx within five seconds. Otherwise the message is sent again with the same id, up to six
                times in seven hours; <Code>Retry-After</Code> of a 429 or 503 is obeyed, and 410 turns the channel off.
              </p>
              <CodeBlock label="Body of a message" text={example} />
            </div>
          </details>
        )}
      </ActionForm>
    </details>
  );
});

/** The button that gives a webhook a new secret, and after that the secret. */
export const RotateSecret = shownOnce(({ id, name }: { id: number; name: string }) => {
  const form = useFormAnswer(rotateSecretAction);
  const { answer } = form;
  if (answer.kind === "secret")
    return (
      <NewSecret
        title={
          <>
            The new secret of <Name>{name}</Name>
          </>
        }
        secret={answer.secret}
      />
    );
  return (
    <ActionForm
      form={form}
      className=""
      label={`New secret for ${name}`}
      again="The secret may have been replaced. Send it again for one that you see."
      refusal={answer.kind === "refused" && answer.message}
      hidden={{ id }}
      submit={["New secret", "Replacing…"]}
      tone="button quiet"
      beside={<span className="hint">Messages are then signed with both, until you end the old one.</span>}
    />
  );
});

/** A secret of a webhook, shown this once. */
function NewSecret({ title, secret }: { title: React.ReactNode; secret: string }) {
  return (
    <SecretPanel
      title={title}
      about="The secret is shown this once. With it the receiver checks that a message came from this console: any library of Standard Webhooks does that."
      leave={{ what: "secret", href: NOTICE_PAGE, words: "Go to the channels" }}
    >
      <CodeBlock label="Secret of the webhook" text={secret} />
    </SecretPanel>
  );
}
