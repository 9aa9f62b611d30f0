"use client";

import { NoAnswer } from "@/app/ui/no-answer";
import { useSubmission } from "@/app/ui/use-submission";
import { removeServerAction } from "../../actions";
import styles from "../../form.module.css";

/** The button that removes a server; `children` is the harmless answer. */
export function ConfirmRemoval({ id, children }: { id: number; children: React.ReactNode }) {
  const { onSubmit, isPending, hasFailed } = useSubmission(removeServerAction, () => {});
  return (
    <form action={removeServerAction} onSubmit={onSubmit}>
      {hasFailed && <NoAnswer>Send it again: what is removed already stays removed.</NoAnswer>}
      <input type="hidden" name="id" value={id} />
      <div className={styles.buttons}>
        {children}
        <button className="button danger" type="submit" aria-disabled={isPending}>
          {isPending ? "Removing…" : "Remove server"}
        </button>
      </div>
    </form>
  );
}
