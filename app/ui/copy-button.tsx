"use client";

import { useEffect, useState } from "react";
import styles from "./copy-button.module.css";
import { useScripts } from "./use-scripts";

const SHOWN_FOR_MS = 4000;

type Outcome = "idle" | "copied" | "refused";

const LABELS: Readonly<Record<Outcome, string>> = { idle: "Copy", copied: "Copied", refused: "Selected" };

type Props = {
  text: string;
  what: string;
  /** The id of the field or the element that shows the text, which is selected where the browser refuses to copy. */
  sourceId: string;
  isPrimary?: boolean;
  /** Beside a value in a row of others. */
  isSmall?: boolean;
  onCopied?: () => void;
};

/**
 * Copies a text and says so. Until scripts run there is no button, only its place: the text beside it can be selected by
 * hand.
 */
export function CopyButton({ text, what, sourceId, isPrimary = false, isSmall = false, onCopied }: Props) {
  const hasScripts = useScripts();
  const [outcome, setOutcome] = useState<Outcome>("idle");

  useEffect(() => {
    if (outcome !== "copied") return;
    const timer = setTimeout(() => setOutcome("idle"), SHOWN_FOR_MS);
    return () => clearTimeout(timer);
  }, [outcome]);

  async function copy() {
    const isCopied = await copyText(text, sourceId);
    setOutcome(isCopied ? "copied" : "refused");
    if (isCopied) onCopied?.();
  }

  const look = isPrimary ? "button" : `button quiet small ${isSmall ? styles.beside : ""}`;
  if (!hasScripts) {
    return (
      <span className={`${look} with-script not-yet ${styles.place}`} aria-hidden="true">
        <CopySign />
      </span>
    );
  }
  return (
    <>
      <button type="button" className={look} onClick={copy}>
        <CopySign />
        {/* All labels but the rare last one take the same place, so that copying moves nothing. */}
        <span className={styles.label}>{LABELS[outcome]}</span>
        <span className="visually-hidden"> {what}</span>
      </button>
      <span role="status" className={outcome === "refused" ? "hint whole" : "visually-hidden"}>
        {outcome === "copied" && `Copied: ${what}`}
        {outcome === "refused" &&
          "Your browser did not allow the page to copy. The text is selected: copy it with Ctrl+C, ⌘C, or the menu of your device."}
      </span>
    </>
  );
}

/** Two sheets, one on the other. */
function CopySign() {
  return (
    <svg className={styles.sign} viewBox="0 0 16 16" aria-hidden="true">
      <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />
    </svg>
  );
}

async function copyText(text: string, sourceId: string): Promise<boolean> {
  try {
    // Browsers offer this on https and on localhost only.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(sourceId);
  }
}

/** Copies the selection, for older browsers. If that fails too, the text stays selected for copying by hand. */
function copySelected(sourceId: string): boolean {
  const source = document.getElementById(sourceId);
  const focused = document.activeElement;
  if (source instanceof HTMLTextAreaElement) source.select();
  else if (source) window.getSelection()?.selectAllChildren(source);
  const isCopied = document.execCommand("copy");
  if (isCopied && focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
