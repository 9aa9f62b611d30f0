"use client";

import { useActionState } from "react";
import { Notice } from "../ui/notice";
import { useSingleSubmit } from "../ui/use-single-submit";
import { type SignInState, signInAction } from "./actions";
import styles from "./page.module.css";

/** E-mail and password; says why nobody was signed in. */
export function SignInForm({ next }: { next: string | null }) {
  const [state, action, isPending] = useActionState<SignInState, FormData>(signInAction, null);
  const submitOnce = useSingleSubmit(isPending);
  return (
    <form className={styles.form} action={action} onSubmit={submitOnce}>
      {state && (
        <Notice tone="danger" role="alert" on={state}>
          {state.message}
        </Notice>
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
          required
          maxLength={254}
        />
      </div>
      <div className="field">
        <label htmlFor="password">Password</label>
        <input
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
