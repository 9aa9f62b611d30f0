"use client";

import { useActionState, useState } from "react";
import { serverSettingsPath } from "@/app/paths";
import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { useSubmission } from "@/app/ui/use-submission";
import { replaceKeyAction } from "../../actions";
import styles from "../../form.module.css";
import type { ReplaceKeyAnswer } from "../../form-answers";
import { NewKey } from "../../new-key";
import { type Round, Rounds } from "../../rounds";

const NOTHING: ReplaceKeyAnswer = { kind: "empty" };

type Props = {
  id: number;
  origin: string;
  hasKey: boolean;
  /** The keys that work now. */
  children: React.ReactNode;
};

/** The button that replaces a server's key, and after that the new key. */
export function ReplaceKey(props: Props) {
  return <Rounds>{(round) => <ReplaceKeyRound {...props} {...round} />}</Rounds>;
}

/** Either the form or the answer: a form carries the last answer with it, and would send the key back. */
function ReplaceKeyRound({ id, origin, hasKey, isLater, children }: Props & Round) {
  // Without JavaScript the answer comes with the page; with it, to the form.
  const [written, action] = useActionState<ReplaceKeyAnswer, FormData>(replaceKeyAction, NOTHING);
  const [answer, setAnswer] = useState<ReplaceKeyAnswer | null>(null);
  const state = answer ?? (isLater ? NOTHING : written);
  const { onSubmit, isPending, hasFailed } = useSubmission((form) => replaceKeyAction(NOTHING, form), setAnswer);
  if (state.kind === "replaced") {
    return (
      <NewKey
        title="Give the server its new key now"
        serverId={id}
        rawKey={state.rawKey}
        origin={origin}
        isReplacement={hasKey}
      >
        <ButtonRow>
          <a className="button quiet" href={serverSettingsPath(id)}>
            Done
          </a>
          <span className="hint">After this the key is gone from the page.</span>
        </ButtonRow>
      </NewKey>
    );
  }
  return (
    <form className={`card ${styles.form}`} action={action} onSubmit={onSubmit} aria-labelledby="key">
      {hasFailed && (
        <NoAnswer>Send it again: a key that was made without being shown is replaced by the next.</NoAnswer>
      )}
      {state.kind === "refused" && (
        <Notice tone="danger" role="alert" on={state}>
          {state.message}
        </Notice>
      )}
      <input type="hidden" name="id" value={id} />
      {children}
      <p className="soft">
        A new key is shown once. The one before works for one more hour, so that the daemon can be given the new one
        without missing a check-in.
      </p>
      <ButtonRow>
        <SubmitButton className="button quiet" isPending={isPending} pending="Making a key…">
          {hasKey ? "Replace the key" : "Make a key"}
        </SubmitButton>
      </ButtonRow>
    </form>
  );
}
