"use client";

import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { ShownOnce } from "@/app/ui/shown-once";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { serverSettingsPath } from "@/lib/page-paths";
import { replaceKeyAction } from "../../actions";
import type { ReplaceKeyAnswer } from "../../form-answers";
import { NewKey } from "../../new-key";

const UNSENT: ReplaceKeyAnswer = { kind: "empty" };

type Props = {
  id: number;
  origin: string;
  hasKey: boolean;
  /** What to paste for other agents. */
  otherAgents: React.ReactNode;
  /** The keys that work now. */
  children: React.ReactNode;
};

/** The button that replaces a server's key, and after that the new key. */
export function ReplaceKey(props: Props) {
  return (
    <ShownOnce>
      <ReplaceKeyForm {...props} />
    </ShownOnce>
  );
}

/** Never shows form and answer together: a form submits its last answer, and would send the key back. */
function ReplaceKeyForm({ id, origin, hasKey, otherAgents, children }: Props) {
  const {
    answer: state,
    formAction,
    onSubmit,
    isPending,
    hasFailed,
  } = useFormAnswer<ReplaceKeyAnswer>(replaceKeyAction, UNSENT);
  if (state.kind === "replaced") {
    return (
      <NewKey
        title="Give the server its new key now"
        serverId={id}
        rawKey={state.rawKey}
        origin={origin}
        isReplacement={hasKey}
        otherAgents={otherAgents}
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
    <form className="card card-body" action={formAction} onSubmit={onSubmit} aria-labelledby="key">
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
        A new key is shown once. The old one works for one more hour, so that the daemon can be given the new one
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
