"use client";

import { useLayoutEffect, useRef } from "react";
import { ActionForm } from "@/app/ui/action-form";
import { SubmitButton } from "@/app/ui/button-row";
import { Fingerprint } from "@/app/ui/fingerprint";
import { From } from "@/app/ui/ip";
import { Name, StrongName } from "@/app/ui/name";
import { PasswordAgain } from "@/app/ui/password-again";
import { Time } from "@/app/ui/time";
import type { FormAnswer } from "@/app/ui/use-form-answer";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { useFacts } from "../facts";
import type { QuestionedToken } from "./revocation";
import styles from "./revoke-dialog.module.css";

type Props = {
  /** At least one. */
  tokens: readonly QuestionedToken[];
  /** The question is about every active token, including tokens that are created meanwhile. */
  isAll: boolean;
  passwordError: string | null;
  form: FormAnswer<{ kind: string }>;
  onCancel: () => void;
};

/** The question before something is revoked. Without JavaScript it stands over the page in the same place. */
export function RevokeDialog({ tokens, isAll, passwordError, form, onCancel }: Props) {
  const { asksPassword, now } = useFacts();
  const dialog = useRef<HTMLDialogElement>(null);
  const [first] = tokens;
  const isOne = first && tokens.length === 1;
  const count = `${isAll ? "all " : ""}${tokens.length}${isAll ? " active" : ""} tokens`;

  useLayoutEffect(() => {
    const { current } = dialog;
    if (!current || current.matches(":modal")) return;
    // The server renders it open, for browsers without JavaScript. Only a closed dialog can become modal.
    current.close();
    current.showModal();
  }, []);

  const cancel = (event: React.SyntheticEvent) => {
    event.preventDefault();
    onCancel();
  };

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has Escape
    <dialog
      ref={dialog}
      open
      className={`card breaks ${styles.dialog}`}
      aria-labelledby="question"
      aria-describedby="facts"
      onCancel={cancel}
      // The form covers the whole dialog, so a click on the dialog itself is a click on its backdrop.
      onClick={(event) => event.target === event.currentTarget && cancel(event)}
    >
      <ActionForm
        form={form}
        className={styles.form}
        labelledBy="question"
        title={
          <h2 id="question" className={styles.question}>
            Revoke {isOne ? <>“{<Name>{first.name}</Name>}”</> : count}?
          </h2>
        }
        again="It may have happened all the same. Sending it again is safe."
        hidden={{ id: isAll ? "all" : tokens.map(({ id }) => id).join() }}
      >
        <div id="facts" className={`stack loose ${styles.facts}`}>
          <ul className={`stack text-md ${styles.tokens}`}>
            {tokens.map(({ id, name, hint, lastUsedAt, lastUsedIp, program }) => (
              <li key={id}>
                {!isOne && <StrongName>{name}</StrongName>} <Fingerprint hint={hint} />
                <span className="soft block">
                  {lastUsedAt ? (
                    <>
                      Last used <Time at={lastUsedAt} now={now} />
                      <From ip={lastUsedIp} program={program} />
                    </>
                  ) : (
                    "Never used"
                  )}
                </span>
              </li>
            ))}
          </ul>
          <p>
            Programs that use {isOne ? "it" : "them"} are refused from their next request on. This cannot be undone.
          </p>
          {isAll && <PasswordAgain id="password-to-revoke" isAsked={asksPassword} error={passwordError} />}
        </div>
        <div className={`row ${styles.buttons}`}>
          {/* biome-ignore lint/a11y/noAutofocus: a dialog begins with its harmless answer */}
          <a className="button quiet" href={TOKEN_PAGE} data-stays onClick={cancel} autoFocus>
            Cancel
          </a>
          <SubmitButton className={`button danger ${styles.confirm}`} isPending={form.isPending} pending="Revoking…">
            {isOne ? "Revoke token" : isAll ? "Revoke all" : `Revoke ${count}`}
          </SubmitButton>
        </div>
      </ActionForm>
    </dialog>
  );
}
