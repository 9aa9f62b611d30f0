"use client";

import { useEffect, useState } from "react";
import { API_REFERENCE, TOKEN_PAGE } from "@/app/paths";
import { CodeBlock } from "@/app/ui/code-block";
import { CopyButton } from "@/app/ui/copy-button";
import { Fingerprint } from "@/app/ui/fingerprint";
import { FocusTarget } from "@/app/ui/focus-target";
import { Time } from "@/app/ui/time";
import { dateText, untilText } from "@/lib/relative-time";
import { RevokeLink } from "../revoke/revoke-questions";
import type { CreateState, CreatedToken as Token } from "./create-state";
import styles from "./created-token.module.css";
import { useFirstUse } from "./use-first-use";
import { useLeaveGuard } from "./use-leave-guard";

const NOT_COPIED = "You have not copied the new token, and it cannot be shown again. Leave it behind?";

type Answer = Extract<CreateState, { kind: "created" | "already-created" }>;
type Props = { answer: Answer; origin: string; now: Date; onDone: () => void };

/** The token, shown this once; or, for a form that was sent again, what became of it. */
export function CreatedToken({ answer, origin, now, onDone }: Props) {
  return (
    <section className={"card card-body key"} aria-labelledby="created">
      {answer.kind === "created" ? (
        <NewToken raw={answer.raw} token={answer.token} origin={origin} now={now} onDone={onDone} />
      ) : (
        <AlreadyCreated token={answer.token} onDone={onDone} />
      )}
    </section>
  );
}

function AlreadyCreated({ token, onDone }: { token: Token; onDone: () => void }) {
  return (
    <>
      <FocusTarget as="h2" id="created">
        This token was already created
      </FocusTarget>
      <p>
        The form was sent twice and created one token, <strong>{token.name}</strong> <Fingerprint hint={token.hint} />.
        Its value was in the first answer only and cannot be shown again. If you did not keep it, revoke this token and
        create another.
      </p>
      <p className={styles.done}>
        <RevokeLink which={[token.id]} className="button quiet wary">
          Revoke it
        </RevokeLink>
        <Done isQuiet onDone={onDone} />
      </p>
    </>
  );
}

type NewTokenProps = { raw: string; token: Token; origin: string; now: Date; onDone: () => void };

function NewToken({ raw, token, origin, now, onDone }: NewTokenProps) {
  const [isCopied, setIsCopied] = useState(false);
  useLeaveGuard(!isCopied, NOT_COPIED);
  useCopiedByHand(raw, () => setIsCopied(true));
  const onCopied = () => setIsCopied(true);
  return (
    <>
      <FocusTarget as="h2" id="created">
        Copy your new token now
      </FocusTarget>
      <p className="soft">
        The token for <strong className={styles.tokenName}>{token.name}</strong> is shown this once. It will not be
        shown again: only its hash is stored. Keep it where you keep passwords.{" "}
        {token.expiresAt
          ? `It works until ${dateText(token.expiresAt)} (${untilText(token.expiresAt, now)}).`
          : "It does not expire."}
      </p>
      <div className="field">
        <label htmlFor="token">Token</label>
        <div className={styles.token}>
          {/* More than one line, so that a narrow screen shows the end of the token as well. */}
          <textarea
            id="token"
            className={`input mono ${styles.value}`}
            value={raw}
            rows={1}
            readOnly
            autoComplete="off"
            spellCheck={false}
            onFocus={(event) => event.currentTarget.select()}
          />
          <CopyButton text={raw} what="token" sourceId="token" isPrimary onCopied={onCopied} />
        </div>
      </div>
      <CodeBlock
        label="Try it"
        text={`curl -sS ${origin}/api/v1/me -H "Authorization: Bearer ${raw}"`}
        onCopied={onCopied}
      />
      <details className="disclosure">
        <summary>Keep it out of your shell history</summary>
        <p className="soft">Run this, paste the token, and press Enter. Nothing appears while you paste.</p>
        <CodeBlock
          label="Without a trace"
          text={`read -rs TOKEN; curl -sS ${origin}/api/v1/me -H "Authorization: Bearer $TOKEN"`}
        />
      </details>
      <p className="hint">
        {/* In a tab of its own: here the token would be lost. */}
        What else it can read, in four languages:{" "}
        <a href={API_REFERENCE} target="_blank" rel="noopener">
          API reference<span className="visually-hidden"> (in a new tab)</span>
        </a>
      </p>
      <FirstRequest tokenId={token.id} />
      <p className={styles.done}>
        <Done isQuiet={!isCopied} onDone={() => (isCopied || window.confirm(NOT_COPIED)) && onDone()} />
        <span className="hint">After this the token is gone from the page.</span>
      </p>
    </>
  );
}

/** A link, so that it works without JavaScript and leaves the answer behind. */
function Done({ isQuiet, onDone }: { isQuiet: boolean; onDone: () => void }) {
  return (
    <a
      className={isQuiet ? "button quiet" : "button"}
      href={TOKEN_PAGE}
      data-stays
      onClick={(event) => {
        event.preventDefault();
        onDone();
      }}
    >
      Done
    </a>
  );
}

function FirstRequest({ tokenId }: { tokenId: number }) {
  const { firstUse, isOver } = useFirstUse(tokenId);
  return (
    <p className={styles.firstUse} role="status" data-seen={firstUse !== null} data-over={isOver}>
      <span className={styles.dot} aria-hidden="true" />
      <span>
        {firstUse ? (
          <>
            First request received: <Time at={new Date(firstUse.at)} now={new Date(firstUse.now)} />
            {firstUse.ip && `, from ${firstUse.ip}`}
          </>
        ) : isOver ? (
          "No request so far. The list shows the first one when the page is opened again."
        ) : (
          <>
            <span className={styles.waiting}>Waiting for the first request</span>
            <noscript>The list shows the first request when the page is opened again.</noscript>
          </>
        )}
      </span>
    </p>
  );
}

/** Selecting the token and copying it with the keyboard or a menu counts as much as the button. */
function useCopiedByHand(raw: string, onCopied: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is done about it may be another function each time
  useEffect(() => {
    const onCopy = (event: ClipboardEvent) => {
      if (selectedText(event.target).includes(raw)) onCopied();
    };
    document.addEventListener("copy", onCopy);
    return () => document.removeEventListener("copy", onCopy);
  }, [raw]);
}

function selectedText(target: EventTarget | null): string {
  if (target instanceof HTMLTextAreaElement) return target.value.slice(target.selectionStart, target.selectionEnd);
  return window.getSelection()?.toString() ?? "";
}
