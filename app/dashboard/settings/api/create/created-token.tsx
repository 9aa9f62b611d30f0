"use client";

import { useEffect, useState } from "react";
import { CodeBlock } from "@/app/ui/code-block";
import { CopyButton } from "@/app/ui/copy-button";
import { Fingerprint } from "@/app/ui/fingerprint";
import { Ips } from "@/app/ui/ips";
import { StrongName } from "@/app/ui/name";
import { SecretPanel } from "@/app/ui/secret-panel";
import { useShownOnce } from "@/app/ui/shown-once-context";
import { DateOf, Time, Until } from "@/app/ui/time";
import { API_REFERENCE, TOKEN_PAGE, tokenPath } from "@/lib/page-paths";
import { refreshTokensAction } from "../actions";
import type { AnsweredToken } from "../answered-token";
import { useFacts } from "../facts";
import { RevokeLink } from "../revoke/revoke-questions";
import type { CreatedState } from "./create-state";
import styles from "./created-token.module.css";
import { useLeaveGuard } from "./use-leave-guard";

const NOT_COPIED = "You have not copied the new token, and it cannot be shown again. Leave it behind?";

/** Shows the token once. For a form that was sent again, it only says that the token exists. */
export function CreatedToken({ answer: { raw, token, replaced } }: { answer: CreatedState }) {
  const { reset } = useShownOnce();
  if (raw !== null) return <NewToken {...{ raw, token, replaced }} />;
  return (
    <SecretPanel
      title="This token was already created"
      about={
        <>
          The form was sent twice and created one token, <StrongName>{token.name}</StrongName>{" "}
          <Fingerprint hint={token.hint} />. Its value was in the first answer only and cannot be shown again. If you
          did not keep it, revoke this token and create another.
        </>
      }
      leave={{ href: TOKEN_PAGE, words: "Done", onLeave: reset }}
    >
      <p>
        <RevokeLink selection={[token.id]} className="button quiet wary">
          Revoke it
        </RevokeLink>
      </p>
    </SecretPanel>
  );
}

function NewToken({ raw, token, replaced }: Omit<CreatedState, "kind"> & { raw: string }) {
  const { origin } = useFacts();
  const { reset } = useShownOnce();
  const [isCopied, setIsCopied] = useState(false);
  const onCopied = () => setIsCopied(true);
  useLeaveGuard(!isCopied, NOT_COPIED);
  useEffect(() => {
    // By keyboard or menu instead of the button.
    const onCopy = ({ target }: ClipboardEvent) => {
      if (selectedText(target).includes(raw)) setIsCopied(true);
    };
    document.addEventListener("copy", onCopy);
    return () => document.removeEventListener("copy", onCopy);
  }, [raw]);
  return (
    <SecretPanel
      title="Copy your new token now"
      about={<About token={token} />}
      firstUse={{
        path: `${TOKEN_PAGE}/first-use?id=${token.id}`,
        what: "request",
        later: "The list of tokens shows the first request when it is opened again.",
        // Shows it in the list below too. A failure is harmless: the next visit shows it.
        onSeen: () => void refreshTokensAction().catch(() => {}),
      }}
      leave={{
        what: "token",
        ...(replaced ? { href: tokenPath(token.id) } : { href: TOKEN_PAGE, onLeave: reset }),
        words: "Done",
        isNext: isCopied,
      }}
    >
      {replaced && <OldToken token={replaced} />}
      <div className="field">
        <label htmlFor="token">Token</label>
        <div className={`row tight ${styles.token}`}>
          {/* More than one line, so that a narrow screen shows the end of the token as well. */}
          <textarea
            id="token"
            className={`input mono breaks ${styles.value}`}
            value={raw}
            translate="no"
            rows={1}
            readOnly
            autoComplete="off"
            spellCheck={false}
            onFocus={(event) => event.currentTarget.select()}
          />
          <CopyButton text={raw} what="token" sourceId="token" isPrimary onCopied={onCopied} />
        </div>
      </div>
      {/* Trying the token would be its first use, and would end the old token before its program has the new one. */}
      {!replaced?.endsOnFirstUse && (
        <>
          <CodeBlock
            label="Try it"
            text={`curl -sS ${origin}/api/v1/me -H "Authorization: Bearer ${raw}"`}
            onCopied={onCopied}
          />
          <details className="disclosure">
            <summary>Keep it out of your shell history</summary>
            <p className="soft">Run this, paste the token, and press Enter. Nothing appears while you paste.</p>
            <CodeBlock
              label="Without your shell history"
              text={`read -rs TOKEN; curl -sS ${origin}/api/v1/me -H "Authorization: Bearer $TOKEN"`}
            />
          </details>
        </>
      )}
      <p className="hint">
        What else it can read, in four languages: <NewTab href={API_REFERENCE}>API reference</NewTab>
      </p>
    </SecretPanel>
  );
}

/** What the new token is for, until when and from where it works. */
function About({ token: { name, expiresAt, networks } }: { token: AnsweredToken }) {
  const { now } = useFacts();
  const end = expiresAt === null ? null : new Date(expiresAt);
  return (
    <>
      The token for <StrongName className={`breaks ${styles.tokenName}`}>{name}</StrongName> is shown this once. It will
      not be shown again: only its hash is stored. Keep it where you keep passwords.{" "}
      {end ? (
        <>
          It works until <DateOf at={end} /> (<Until at={end} now={now} />
          ).
        </>
      ) : (
        "It does not expire."
      )}
      {networks.length > 0 && (
        <>
          {" "}
          It works only from <Ips ips={networks} />.
        </>
      )}
    </>
  );
}

/** Says when the replaced token ends. */
function OldToken({ token: { id, hint, revokedAt, endsOnFirstUse, expiresAt } }: { token: AnsweredToken }) {
  const { now } = useFacts();
  const old = (
    <NewTab href={tokenPath(id)}>
      <Fingerprint hint={hint} />
    </NewTab>
  );
  if (revokedAt) {
    return (
      <p>
        <strong>The old token has ended.</strong> Programs that use {old} are refused until they have this one.
      </p>
    );
  }
  if (endsOnFirstUse) {
    return (
      <p>
        <strong>The old token ends with the first request that uses this one.</strong> Give this token to the program
        that uses {old} before anything else tries it.
      </p>
    );
  }
  return (
    <p>
      <strong>
        The old token still works. It ends {expiresAt !== null && <Time at={new Date(expiresAt)} now={now} />}.
      </strong>{" "}
      Until then, give this token to every program that uses {old}.
    </p>
  );
}

/** In a tab of its own: here the token would be lost. */
function NewTab({ href, children }: { href: string; children: React.ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noopener">
      {children}
      <span className="visually-hidden"> (in a new tab)</span>
    </a>
  );
}

/** A browser tells a selection in a field apart from one on the page. */
function selectedText(target: EventTarget | null): string {
  if (target instanceof HTMLTextAreaElement) return target.value.slice(target.selectionStart, target.selectionEnd);
  return window.getSelection()?.toString() ?? "";
}
