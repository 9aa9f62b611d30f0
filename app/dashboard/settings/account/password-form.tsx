"use client";

import { ActionForm } from "@/app/ui/action-form";
import { PasswordField } from "@/app/ui/password-field";
import { UsernameField } from "@/app/ui/signed-in";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { counted } from "@/lib/format/quantities";
import { changePasswordAction } from "./actions";

/** Changes the password of the account. What was typed is never sent back. */
export function PasswordForm() {
  const form = useFormAnswer(changePasswordAction, ({ kind }, form) => kind === "changed" && form.reset());
  const { answer, errorOf } = form;
  return (
    <ActionForm
      form={form}
      labelledBy="password"
      again="The password may have been changed all the same. Try to sign in with the new one."
      done={answer.kind === "changed" && `Your password is changed. ${signedOutText(answer.ended)}`}
      submit={["Change password", "Changing…"]}
      tone="button quiet"
    >
      <UsernameField />
      <PasswordField id="current-password" name="current" label="Current password" error={errorOf("current")} />
      <div className="fields">
        <PasswordField
          id="new-password"
          name="new"
          label="New password"
          hint="At least 12 characters"
          isNew
          error={errorOf("new")}
        />
        <PasswordField id="new-password-again" name="again" label="New password again" isNew error={errorOf("again")} />
      </div>
    </ActionForm>
  );
}

/** Says how many other browsers were signed out. */
function signedOutText(count: number): string {
  if (count === 0) return "No other browser was signed in.";
  return `${counted(count, "other browser was", "other browsers were")} signed out.`;
}
