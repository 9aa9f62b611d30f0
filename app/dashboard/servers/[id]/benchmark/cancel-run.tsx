"use client";

import { NoAnswer } from "@/app/ui/no-answer";
import { useSubmission } from "@/app/ui/use-submission";
import { cancelBenchmarkAction } from "../../actions";

/** Takes a pending run back, and its key with it. */
export function CancelRun({ serverId, id, label }: { serverId: number; id: number; label: string }) {
  const { onSubmit, isPending, hasFailed } = useSubmission(cancelBenchmarkAction, () => {});
  return (
    <form action={cancelBenchmarkAction} onSubmit={onSubmit}>
      {hasFailed && <NoAnswer>Send it again: what is cancelled already stays cancelled.</NoAnswer>}
      <input type="hidden" name="serverId" value={serverId} />
      <input type="hidden" name="id" value={id} />
      <button className="button quiet small" type="submit" aria-disabled={isPending}>
        Cancel<span className="visually-hidden"> the run {label}</span>
      </button>
    </form>
  );
}
