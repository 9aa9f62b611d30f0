"use client";

import { useSubmission } from "../ui/use-submission";
import styles from "./account-menu.module.css";
import { signOutAction } from "./actions";
import { forgetDraft } from "./settings/api/create/draft";

/** The way out. */
export function SignOut() {
  const { onSubmit, isPending, hasFailed } = useSubmission(
    () => {
      forgetDraft();
      return signOutAction();
    },
    () => {},
  );
  return (
    <form className="stack tight" action={signOutAction} onSubmit={onSubmit} data-leaves-page>
      <button type="submit" className="button quiet small" aria-disabled={isPending}>
        Sign out
      </button>
      <span role="alert" className={hasFailed ? styles.failed : "visually-hidden"}>
        {hasFailed && "No answer came: you may still be signed in. Try again."}
      </span>
    </form>
  );
}
