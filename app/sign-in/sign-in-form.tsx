"use client";

import { useEffect, useRef } from "react";
import { NoAnswer } from "../ui/no-answer";
import { Notice } from "../ui/notice";
import { useFormAnswer } from "../ui/use-form-answer";
import { type SignInState, signInAction } from "./actions";
import styles from "./page.module.css";

/** E-mail and password; says why nobody was signed in. */
export function SignInForm({ next }: { next: string | null }) {
  const password = useRef<HTMLInputElement>(null);
  const { answer: state, formAction, onSubmit, isPending, hasFailed } = useFormAnswer<SignInState>(signInAction, null);

  useEffect(() => {
    // A password that was refused is typed anew.
    if (state && password.current) password.current.value = "";
  }, [state]);

  return (
    <form className={styles.form} action={formAction} onSubmit={onSubmit}>
      {hasFailed ? (
        <NoAnswer>Check your connection and sign in again; what you typed is still here.</NoAnswer>
      ) : (
        state && (
          <Notice tone="danger" role="alert" on={state}>
            {state.message}
          </Notice>
        )
      )}
      {next && <input type="hidden" name="next" value={next} />}
      <div className="field">
        <label htmlFor="email">E-mail</label>
        <input
          id="email"
          className="input"
          name="email"
          type="email"
          autoComplete="username"
          defaultValue={state?.email ?? ""}
          // biome-ignore lint/a11y/noAutofocus: the page is for nothing else
          autoFocus={!state}
          required
          maxLength={254}
        />
      </div>
      <div className="field">
        <label htmlFor="password">Password</label>
        <input
          ref={password}
          id="password"
          className="input"
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
      </div>
      <button className="button" type="submit" aria-disabled={isPending}>
        {isPending ? "Signing in…" : "Sign in"}
      </button>
    </form>
  );
}
