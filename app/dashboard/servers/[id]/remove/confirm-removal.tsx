"use client";

import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { NoAnswer } from "@/app/ui/no-answer";
import { useSubmission } from "@/app/ui/use-submission";
import { removeServerAction } from "../../actions";

/** The button that removes a server; `children` is the harmless answer. */
export function ConfirmRemoval({ id, children }: { id: number; children: React.ReactNode }) {
  const { onSubmit, isPending, hasFailed } = useSubmission(removeServerAction, () => {});
  return (
    <form className="card card-body grave" action={removeServerAction} onSubmit={onSubmit}>
      {hasFailed && <NoAnswer>Send it again: what is removed already stays removed.</NoAnswer>}
      <input type="hidden" name="id" value={id} />
      <p>
        Its history and its benchmark runs are deleted, and its daemon is refused from then on. This cannot be undone.
      </p>
      <ButtonRow>
        <SubmitButton className="button danger" isPending={isPending} pending="Removing…">
          Remove server
        </SubmitButton>
        {children}
      </ButtonRow>
    </form>
  );
}
