"use client";

import { useId, useRef, useState } from "react";
import styles from "./page.module.css";

type Answer = { status: string; body: string } | "waiting" | "unreachable";

/** A page shows so much of an answer. */
const MOST_SHOWN = 20_000;

/**
 * Sends an example's request from this browser. The token is typed here and goes into the header of that request alone: it is
 * in no form, state or storage, and no cookie is sent. It is hidden where there is no JavaScript.
 */
export function RunExample({ path, name }: { path: string; name: string }) {
  const id = useId();
  const token = useRef<HTMLInputElement>(null);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const run = async () => {
    if (!token.current?.value) return token.current?.focus();
    setAnswer("waiting");
    try {
      const headers = { Authorization: `Bearer ${token.current.value.trim()}` };
      const response = await fetch(path, { headers, credentials: "omit", cache: "no-store" });
      const text = await response.text();
      setAnswer({ status: `${response.status} ${response.statusText}`.trim(), body: shownText(text) });
    } catch {
      setAnswer("unreachable");
    }
  };
  return (
    <details className={styles.run}>
      <summary>Run</summary>
      <div className="stack">
        <div className={styles.runFields}>
          <div className="field">
            <label htmlFor={id}>A token, for this request only</label>
            <input
              ref={token}
              id={id}
              type="password"
              className="input mono"
              autoComplete="off"
              spellCheck={false}
              onKeyDown={(event) => event.key === "Enter" && run()}
            />
          </div>
          <button type="button" className="button quiet" aria-disabled={answer === "waiting"} onClick={run}>
            Run<span className="visually-hidden"> {name}</span>
          </button>
        </div>
        <div role="status">
          {answer === "waiting" && "Asking…"}
          {answer === "unreachable" &&
            "The console cannot be reached, or the token has characters that no header can hold."}
          {answer !== null && typeof answer === "object" && answer.status}
        </div>
        {answer !== null && typeof answer === "object" && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard
          <pre className={styles.answer} tabIndex={0}>
            {answer.body}
          </pre>
        )}
      </div>
    </details>
  );
}

function shownText(text: string): string {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Not JSON: a proxy answered.
  }
  return shown.length > MOST_SHOWN
    ? `${shown.slice(0, MOST_SHOWN)}\n… and ${shown.length - MOST_SHOWN} characters more`
    : shown;
}
