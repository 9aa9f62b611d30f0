"use client";

import { useEffect, useState } from "react";
import styles from "./copy-button.module.css";

const SHOWN_FOR_MS = 4000;

type Outcome = "idle" | "copied" | "failed";

/**
 * Copies a text and says so. It is hidden where there is no JavaScript; the text beside it can be selected by hand.
 * `fieldId` names a field that holds the text, which is selected when the browser refuses to copy.
 */
export function CopyButton({ text, what, fieldId }: { text: string; what: string; fieldId?: string }) {
  const [outcome, setOutcome] = useState<Outcome>("idle");

  useEffect(() => {
    if (outcome === "idle") return;
    const timer = setTimeout(() => setOutcome("idle"), SHOWN_FOR_MS);
    return () => clearTimeout(timer);
  }, [outcome]);

  async function copy() {
    setOutcome("idle");
    setOutcome((await copyText(text, fieldId)) ? "copied" : "failed");
  }

  return (
    <>
      <button type="button" className={`button quiet small ${styles.copy}`} onClick={copy}>
        {outcome === "copied" ? "Copied" : outcome === "failed" ? "Press Ctrl+C" : "Copy"}
        <span className="visually-hidden"> {what}</span>
      </button>
      <span role="status" className="visually-hidden">
        {outcome === "copied" && `Copied: ${what}`}
        {outcome === "failed" && "The browser did not allow it. The text is selected; press Ctrl+C."}
      </span>
    </>
  );
}

async function copyText(text: string, fieldId: string | undefined): Promise<boolean> {
  try {
    // Browsers offer this on https and on localhost only.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyFromField(text, fieldId);
  }
}

/** The way of older browsers, which needs a field on the page that holds the text. */
function copyFromField(text: string, fieldId: string | undefined): boolean {
  const own = fieldId ? document.getElementById(fieldId) : null;
  const field = own instanceof HTMLInputElement ? own : document.createElement("textarea");
  if (field !== own) {
    field.value = text;
    field.className = "visually-hidden";
    document.body.append(field);
  }
  const focused = document.activeElement;
  field.select();
  const isCopied = document.execCommand("copy");
  if (field !== own) field.remove();
  if (isCopied && focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
