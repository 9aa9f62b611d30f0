"use client";

import { useActionState, useEffect, useRef, useState } from "react";
import { NoAnswer } from "../ui/no-answer";
import { Notice } from "../ui/notice";
import { useSubmission } from "../ui/use-submission";
import { type SignInState, signInAction } from "./actions";
import styles from "./page.module.css";

/** E-mail and password; says why nobody was signed in. */
export function SignInForm({ next }: { next: string | null }) {
  // Without JavaScript the answer comes with the page; with it, to `onSubmit`.
  const [written, action] = useActionState<SignInState, FormData>(signInAction, null);
  const [answer, setAnswer] = useState<SignInState>(null);
  const password = useRef<HTMLInputElement>(null);
  const { onSubmit, isPending, hasFailed } = useSubmission((form) => signInAction(null, form), setAnswer);
  const state = answer ?? written;

  useEffect(() => {
    // A password that was refused is typed anew.
    if (answer && password.current) password.current.value = "";
  }, [answer]);

  return (
    <form className={styles.form} action={action} onSubmit={onSubmit}>
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
