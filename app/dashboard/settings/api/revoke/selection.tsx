"use client";

import { useState } from "react";
import { TOKEN_PAGE } from "@/app/paths";
import { useAsk } from "./revoke-questions";
import styles from "./selection.module.css";

/** Around a list with a check box named "revoke" for each token: revokes several with one question. */
export function Selection({ children }: { children: React.ReactNode }) {
  const ask = useAsk();
  const [count, setCount] = useState(0);

  const onSubmit = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const ids = chosenIn(event.currentTarget);
    const button = event.currentTarget.querySelector<HTMLElement>("[type=submit]");
    if (ids.length > 0 && button) ask(ids, button);
    // What can be done first is to choose.
    else event.currentTarget.querySelector<HTMLElement>("[name=revoke]")?.focus();
  };

  return (
    <form
      className={styles.form}
      method="get"
      action={TOKEN_PAGE}
      onChange={(event) => setCount(chosenIn(event.currentTarget).length)}
      onSubmit={onSubmit}
    >
      {children}
      <p className={styles.actions}>
        <button type="submit" className="button quiet wary small">
          Revoke selected…
        </button>
        <span className="hint" role="status">
          {count > 0 && `${count} selected`}
        </span>
      </p>
    </form>
  );
}

function chosenIn(form: HTMLFormElement): number[] {
  return new FormData(form).getAll("revoke").map(Number);
}
