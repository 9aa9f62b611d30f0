"use client";

import { useLayoutEffect, useRef, useState } from "react";
import { Fingerprint } from "@/app/ui/fingerprint";
import { From } from "@/app/ui/ip";
import { Name, StrongName } from "@/app/ui/name";
import { NoAnswer } from "@/app/ui/no-answer";
import { Time } from "@/app/ui/time";
import { useSubmission } from "@/app/ui/use-submission";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { revokeTokensAction, revokeTokensAndGoAction } from "../actions";
import { PasswordAgain } from "../password-again";
import type { QuestionedToken, RevokeOutcome } from "./revocation";
import styles from "./revoke-dialog.module.css";

/** Nobody reads faster. An earlier tap is the second half of the double tap that opened the question. */
const READING_TAKES_MS = 500;

type Props = {
  /** At least one. */
  tokens: readonly QuestionedToken[];
  /** The question is about every active token, including tokens that are created meanwhile. */
  isAll: boolean;
  /** The last sign-in is too long ago to revoke all without the password. */
  asksPassword: boolean;
  /** What was wrong with the password, for browsers without JavaScript. */
  passwordError: string | null;
  now: Date;
  onCancel: () => void;
  onAnswer: (outcome: RevokeOutcome) => void;
};

/** The question before something is revoked. Without JavaScript it stands over the page in the same place. */
export function RevokeDialog({ tokens, isAll, asksPassword, passwordError: written, now, onCancel, onAnswer }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const openedAt = useRef(Number.POSITIVE_INFINITY);
  const [passwordError, setPasswordError] = useState(written);
  const { onSubmit, isPending, failure } = useSubmission(revokeTokensAction, (answer) => {
    if (answer.kind !== "invalid") return onAnswer(answer);
    setPasswordError(answer.message);
    requestAnimationFrame(() => dialog.current?.querySelector<HTMLElement>("[name=password]")?.focus());
  });

  useLayoutEffect(() => {
    const { current } = dialog;
    if (!current || current.matches(":modal")) return;
    // The server renders it open, for browsers without JavaScript. Only a closed dialog can become modal.
    current.close();
    current.showModal();
    openedAt.current = performance.now();
  }, []);

  const cancel = (event: React.SyntheticEvent) => {
    event.preventDefault();
    onCancel();
  };

  /** Ignores the second half of a double click, and clicks before the question could be read. */
  const refuseHaste = (event: React.MouseEvent) => {
    const isHasty = performance.now() - openedAt.current < READING_TAKES_MS || event.detail > 1;
    if (isHasty) event.preventDefault();
  };

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has Escape
    <dialog
      ref={dialog}
      open
      className={styles.dialog}
      aria-labelledby="question"
      aria-describedby="facts"
      onCancel={cancel}
      // The form covers the whole dialog, so a click on the dialog itself is a click on its backdrop.
      onClick={(event) => event.target === event.currentTarget && cancel(event)}
    >
      <form action={revokeTokensAndGoAction} onSubmit={onSubmit} className={styles.form}>
        <h2 id="question" className={styles.question}>
          {question(tokens, isAll)}
        </h2>
        <div id="facts" className={styles.facts}>
          {isAll && <input type="hidden" name="all" value="yes" />}
          {tokens.map(({ id }) => !isAll && <input key={id} type="hidden" name="id" value={id} />)}
          <Tokens tokens={tokens} now={now} />
          <p>
            Programs that use {tokens.length === 1 ? "it" : "them"} are refused from their next request on. This cannot
            be undone.
          </p>
          {isAll && (asksPassword || passwordError) && <PasswordAgain id="password-to-revoke" error={passwordError} />}
          {failure !== undefined && (
            <NoAnswer failure={failure}>It may have happened all the same. Sending it again is safe.</NoAnswer>
          )}
        </div>
        <div className={styles.buttons}>
          {/* biome-ignore lint/a11y/noAutofocus: a dialog begins with its harmless answer */}
          <a className="button quiet" href={TOKEN_PAGE} data-stays onClick={cancel} autoFocus>
            Cancel
          </a>
          <button
            type="submit"
            className={`button danger ${styles.confirm}`}
            onClick={refuseHaste}
            aria-disabled={isPending}
          >
            {isPending ? "Revoking…" : confirmLabel(tokens, isAll)}
          </button>
        </div>
      </form>
    </dialog>
  );
}

function Tokens({ tokens, now }: Pick<Props, "tokens" | "now">) {
  return (
    <ul className={styles.tokens}>
      {tokens.map((token) => (
        <li key={token.id}>
          {tokens.length > 1 && <StrongName>{token.name}</StrongName>} <Fingerprint hint={token.hint} />
          <span className={styles.use}>
            <LastUse token={token} now={now} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function question(tokens: readonly QuestionedToken[], isAll: boolean): React.ReactNode {
  const [first] = tokens;
  if (first && tokens.length === 1)
    return (
      <>
        Revoke “<Name>{first.name}</Name>”?
      </>
    );
  return isAll ? `Revoke all ${tokens.length} active tokens?` : `Revoke ${tokens.length} tokens?`;
}

function confirmLabel(tokens: readonly QuestionedToken[], isAll: boolean): string {
  if (tokens.length === 1) return "Revoke token";
  return isAll ? "Revoke all" : `Revoke ${tokens.length} tokens`;
}

function LastUse({ token, now }: { token: QuestionedToken; now: Date }) {
  if (!token.lastUsedAt) return "Never used";
  return (
    <>
      Last used <Time at={token.lastUsedAt} now={now} />
      <From ip={token.lastUsedIp} program={token.program} />
    </>
  );
}
