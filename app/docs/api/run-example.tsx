"use client";

import { useEffect, useId, useRef, useState } from "react";
import { useScripts } from "@/app/ui/use-scripts";
import { SECOND } from "@/lib/format/time";
import styles from "./page.module.css";

type Answer = { status: string; body: string } | "waiting" | "none";

/** A page shows so much of an answer. */
const MOST_SHOWN = 20_000;
const PATIENCE = 30 * SECOND;

/**
 * Sends an example's request from this browser. The token is typed here and goes into the header of that request alone: it is
 * in no form, state or storage, and no cookie is sent. It is hidden where there is no JavaScript.
 */
export function RunExample({ path, name }: { path: string; name: string }) {
  const id = useId();
  const token = useRef<HTMLInputElement>(null);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const isReady = useScripts();
  useEffect(() => {
    // A browser that keeps the whole page for the way back would keep what was typed.
    const forget = () => {
      if (token.current) token.current.value = "";
    };
    window.addEventListener("pagehide", forget);
    return () => window.removeEventListener("pagehide", forget);
  }, []);
  const run = async () => {
    if (answer === "waiting") return;
    if (!token.current?.value.trim()) return token.current?.focus();
    setAnswer("waiting");
    try {
      const response = await fetch(path, {
        headers: { Authorization: `Bearer ${token.current.value.trim()}` },
        credentials: "omit",
        cache: "no-store",
        signal: AbortSignal.timeout(PATIENCE),
      });
      const text = await response.text();
      setAnswer({ status: `${response.status} ${response.statusText}`.trim(), body: shownText(text) });
    } catch {
      setAnswer("none");
    }
  };
  return (
    <details className={`with-script ${isReady ? "" : "not-yet"}`}>
      <summary>Run</summary>
      <div className="stack">
        <div className={`row near ${styles.runFields}`}>
          <div className="field">
            <label htmlFor={id}>A token, for this request only</label>
            {/* Not of the type "password": browsers would offer to store it, or fill in the password of the console. */}
            <input
              ref={token}
              id={id}
              type="text"
              className={`input mono ${styles.secret}`}
              autoComplete="off"
              autoCapitalize="off"
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
          {answer === "none" && "No answer came. Check the connection, and that the token is copied whole."}
          {answer !== null && typeof answer === "object" && answer.status}
        </div>
        {answer !== null && typeof answer === "object" && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard
          <pre className={`sunken breaks ${styles.answer}`} tabIndex={0}>
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
    // Numbers for Prometheus, or the words of a proxy.
  }
  return shown.length > MOST_SHOWN
    ? `${shown.slice(0, MOST_SHOWN)}\n… and ${(shown.length - MOST_SHOWN).toLocaleString("en")} characters more`
    : shown;
}
