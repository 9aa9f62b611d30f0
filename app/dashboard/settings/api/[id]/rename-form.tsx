"use client";

import { SubmitButton } from "@/app/ui/button-row";
import { describedBy, Field } from "@/app/ui/field";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { type RenameState, renameTokenAction } from "../actions";

const UNSENT: RenameState = { kind: "empty" };

/** The name of a token, to be changed where it stands. */
export function RenameForm({ id, name, maxLength }: { id: number; name: string; maxLength: number }) {
  const {
    answer: state,
    formAction,
    onSubmit,
    isPending,
    hasFailed,
  } = useFormAnswer<RenameState>(renameTokenAction, UNSENT);
  const error = state.kind === "invalid" ? state.message : null;
  return (
    <form className="card card-body" action={formAction} onSubmit={onSubmit} aria-labelledby="rename">
      {hasFailed && <NoAnswer>What you typed is still here, and sending it again is safe.</NoAnswer>}
      {state.kind === "renamed" && !hasFailed && (
        <Notice tone="done" role="status" on={state}>
          It is called <strong>{state.name}</strong> now.
        </Notice>
      )}
      <input type="hidden" name="id" value={id} />
      <div className="fields">
        <Field id="new-name" label="Name" error={error}>
          <input
            id="new-name"
            className="input"
            name="name"
            defaultValue={name}
            autoComplete="off"
            maxLength={4 * maxLength}
            required
            {...describedBy("new-name", error)}
          />
        </Field>
        <SubmitButton className="button quiet" isPending={isPending} pending="Renaming…">
          Rename
        </SubmitButton>
      </div>
    </form>
  );
}
