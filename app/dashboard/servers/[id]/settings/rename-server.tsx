"use client";

import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import type { ServerNames } from "@/lib/servers/names";
import { renameServerAction } from "../../actions";
import type { RenameServerAnswer } from "../../form-answers";
import { ServerNamesFields } from "../../server-names-fields";

const UNSENT: RenameServerAnswer = { kind: "empty" };

/** Gives a server another label and hostname. */
export function RenameServer({ id, label, hostname }: { id: number } & ServerNames) {
  const {
    answer: state,
    formAction,
    onSubmit,
    isPending,
    hasFailed,
  } = useFormAnswer<RenameServerAnswer>(renameServerAction, UNSENT);
  const current = state.kind === "renamed" ? state : { label, hostname };
  return (
    <form className="card card-body" action={formAction} onSubmit={onSubmit} aria-labelledby="names">
      {hasFailed && <NoAnswer>Send it again: a name that is given twice is the same name.</NoAnswer>}
      {state.kind === "renamed" && (
        <Notice tone="done" role="status" on={state}>
          The server is now called <strong>{state.label}</strong>.
        </Notice>
      )}
      {state.kind === "invalid" && state.field === "form" && (
        <Notice tone="danger" role="alert" on={state}>
          {state.message}
        </Notice>
      )}
      <input type="hidden" name="id" value={id} />
      <ServerNamesFields
        values={state.kind === "invalid" ? state.values : current}
        problem={state.kind === "invalid" ? state : null}
      />
      <ButtonRow>
        <SubmitButton isPending={isPending} pending="Renaming…">
          Rename
        </SubmitButton>
      </ButtonRow>
    </form>
  );
}
