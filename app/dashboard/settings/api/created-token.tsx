"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { TOKEN_PAGE } from "@/app/paths";
import { CodeBlock } from "@/app/ui/code-block";
import { CopyButton } from "@/app/ui/copy-button";
import { Fingerprint } from "@/app/ui/fingerprint";
import { FocusTarget } from "@/app/ui/focus-target";
import type { CreateState } from "./create-state";
import type { FirstUse } from "./create-token";
import styles from "./created-token.module.css";

const ASK_EVERY_MS = 3000;
const ASK_FOR_MS = 10 * 60 * 1000;

type Props = {
  answer: Extract<CreateState, { kind: "created" | "already-created" }>;
  origin: string;
  firstUse: FirstUse | undefined;
  onDone: () => void;
};

/** The token, shown this once; or, for a form that was sent again, what became of it. */
export function CreatedToken({ answer, origin, firstUse, onDone }: Props) {
  return (
    <section className={`card ${styles.panel}`} aria-labelledby="created">
      {answer.kind === "created" ? (
        <NewToken raw={answer.raw} name={answer.token.name} origin={origin} firstUse={firstUse} />
      ) : (
        <>
          <FocusTarget as="h2" id="created">
            This token was already created
          </FocusTarget>
          <p>
            The form was sent twice and created one token, <strong>{answer.token.name}</strong>{" "}
            <Fingerprint hint={answer.token.hint} />. Its value was in the first answer only and cannot be shown again.
            If you did not keep it, revoke this token and create another.
          </p>
          <p>
            {/* A link, so that it works without JavaScript and leaves the answer behind. */}
            <a className="button quiet wary small" href={`${TOKEN_PAGE}?revoke=${answer.token.id}`}>
              Revoke it
            </a>
          </p>
        </>
      )}
      <p className={styles.done}>
        <a
          className="button"
          href={TOKEN_PAGE}
          onClick={(event) => {
            event.preventDefault();
            onDone();
          }}
        >
          Done
        </a>
        {answer.kind === "created" && <span className="hint">After this the token is gone from the page.</span>}
      </p>
    </section>
  );
}

type NewTokenProps = { raw: string; name: string; origin: string; firstUse: FirstUse | undefined };

function NewToken({ raw, name, origin, firstUse }: NewTokenProps) {
  useRefreshUntil(firstUse !== undefined);
  return (
    <>
      <FocusTarget as="h2" id="created">
        Copy your new token now
      </FocusTarget>
      <p className="soft">
        The token for <strong className={styles.tokenName}>{name}</strong> is shown this once. It will not be shown
        again: only its hash is stored. Keep it where you keep passwords.
      </p>
      <div className="field">
        <label htmlFor="token">Token</label>
        <div className={styles.token}>
          <input
            id="token"
            className={`input mono ${styles.value}`}
            value={raw}
            readOnly
            autoComplete="off"
            spellCheck={false}
            onFocus={(event) => event.currentTarget.select()}
          />
          <CopyButton text={raw} what="token" fieldId="token" />
        </div>
      </div>
      <CodeBlock label="Try it" text={`curl -sS ${origin}/api/v1/me -H "Authorization: Bearer ${raw}"`} />
      <details className={styles.details}>
        <summary>Keep it out of your shell history</summary>
        <p className="soft">Run this, paste the token, and press Enter. Nothing appears while you paste.</p>
        <CodeBlock
          label="Without a trace"
          text={`read -rs TOKEN; curl -sS ${origin}/api/v1/me -H "Authorization: Bearer $TOKEN"`}
        />
      </details>
      <p className={styles.firstUse} role="status" data-seen={firstUse !== undefined}>
        <span className={styles.dot} aria-hidden="true" />
        {firstUse ? (
          <span>
            First request received:{" "}
            <time dateTime={firstUse.iso} title={firstUse.exactly}>
              {firstUse.at}
            </time>
            {firstUse.address && `, from ${firstUse.address}`}
          </span>
        ) : (
          <span>Waiting for the first request</span>
        )}
      </p>
    </>
  );
}

/** Asks the server for the page again every few seconds while it is looked at, until there is nothing to wait for. */
function useRefreshUntil(isDone: boolean): void {
  const router = useRouter();
  useEffect(() => {
    if (isDone) return;
    const end = Date.now() + ASK_FOR_MS;
    const timer = setInterval(() => {
      if (Date.now() > end) clearInterval(timer);
      else if (document.visibilityState === "visible") router.refresh();
    }, ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isDone, router]);
}
