"use client";

import { FailureWords } from "../ui/no-answer";
import { forgetTyped } from "../ui/typed-text";
import { useSubmission } from "../ui/use-submission";
import styles from "./account-menu.module.css";
import { signOutAction } from "./actions";

/** The way out. */
export function SignOut() {
  const { onSubmit, isPending, failure } = useSubmission(
    () => {
      forgetTyped();
      return signOutAction();
    },
    () => {},
  );
  return (
    <form className="stack tight" action={signOutAction} onSubmit={onSubmit} data-leaves-page>
      <button type="submit" className="button quiet small" aria-disabled={isPending}>
        Sign out
      </button>
      <span role="alert" className={failure === undefined ? "visually-hidden" : `error ${styles.failed}`}>
        {failure === null && "No answer came: you may still be signed in. Try again."}
        {failure && <FailureWords failure={failure} />}
      </span>
    </form>
  );
}
