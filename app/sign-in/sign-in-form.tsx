"use client";

import { ActionForm } from "../ui/action-form";
import { PasswordField } from "../ui/password-field";
import { useFormAnswer } from "../ui/use-form-answer";
import { signInAction } from "./actions";

/** E-mail and password; says why nobody was signed in. */
export function SignInForm({ next }: { next: string | null }) {
  const form = useFormAnswer(signInAction, (_, form) => {
    // A password that was refused is typed anew.
    const password = form.elements.namedItem("password");
    if (password instanceof HTMLInputElement) password.value = "";
  });
  const refused = form.answer.kind === "refused" ? form.answer : null;
  return (
    <ActionForm
      form={form}
      className="stack loose"
      again="Check your connection and sign in again; what you typed is still here."
      refusal={refused?.message}
      hidden={next ? { next } : {}}
    >
      <div className="field">
        <label htmlFor="email">E-mail</label>
        <input
          id="email"
          className="input"
          name="email"
          type="email"
          autoComplete="username"
          defaultValue={refused?.email ?? ""}
          // biome-ignore lint/a11y/noAutofocus: the page is for nothing else
          autoFocus={!refused}
          required
          maxLength={254}
        />
      </div>
      <PasswordField id="password" name="password" label="Password" />
      <button className="button" type="submit" aria-disabled={form.isPending}>
        {form.isPending ? "Signing in…" : "Sign in"}
      </button>
    </ActionForm>
  );
}
