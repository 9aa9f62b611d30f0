"use client";

import { useEffect, useRef } from "react";
import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { describedBy, Field } from "@/app/ui/field";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { changePasswordAction, type PasswordAnswer } from "./actions";

const UNSENT: PasswordAnswer = { kind: "empty" };

/** Changes the password of the account. What was typed is never sent back. */
export function PasswordForm({ email }: { email: string }) {
  const { answer, formAction, onSubmit, isPending, hasFailed } = useFormAnswer(changePasswordAction, UNSENT);
  const form = useRef<HTMLFormElement>(null);
  const errorOf = (field: "current" | "new" | "again") =>
    answer.kind === "invalid" && answer.field === field ? answer.message : null;

  useEffect(() => {
    if (answer.kind === "changed") form.current?.reset();
    else if (answer.kind === "invalid") form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [answer]);

  return (
    <form ref={form} className="card card-body" action={formAction} onSubmit={onSubmit} aria-labelledby="password">
      {hasFailed && (
        <NoAnswer>The password may have been changed all the same. Try to sign in with the new one.</NoAnswer>
      )}
      {answer.kind === "changed" && (
        <Notice tone="done" role="status" on={answer}>
          Your password is changed. {signedOutText(answer.ended)}
        </Notice>
      )}
      {/* Password managers store the new password under this name. */}
      <input type="hidden" autoComplete="username" value={email} readOnly />
      <Field id="current-password" label="Current password" error={errorOf("current")}>
        <input
          id="current-password"
          className="input"
          name="current"
          type="password"
          autoComplete="current-password"
          required
          {...describedBy("current-password", errorOf("current"))}
        />
      </Field>
      <div className="fields">
        <Field id="new-password" label="New password" hint="At least 12 characters" error={errorOf("new")}>
          <input
            id="new-password"
            className="input"
            name="new"
            type="password"
            autoComplete="new-password"
            required
            {...describedBy("new-password", errorOf("new"), true)}
          />
        </Field>
        <Field id="new-password-again" label="New password again" error={errorOf("again")}>
          <input
            id="new-password-again"
            className="input"
            name="again"
            type="password"
            autoComplete="new-password"
            required
            {...describedBy("new-password-again", errorOf("again"))}
          />
        </Field>
      </div>
      <ButtonRow>
        <SubmitButton className="button quiet" isPending={isPending} pending="Changing…">
          Change password
        </SubmitButton>
      </ButtonRow>
    </form>
  );
}

/** Says how many other browsers were signed out. */
function signedOutText(count: number): string {
  if (count === 0) return "No other browser was signed in.";
  return count === 1 ? "1 other browser was signed out." : `${count} other browsers were signed out.`;
}
