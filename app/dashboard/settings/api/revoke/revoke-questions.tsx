"use client";

import { createContext, useContext, useRef, useState } from "react";
import { TOKEN_PAGE } from "@/lib/page-paths";
import type { QuestionedToken, RevokeOutcome, TokenSelection } from "./revocation";
import { RevokeDialog } from "./revoke-dialog";
import { OutcomeNotice } from "./revoke-outcome";

type Questions = {
  canAsk: (selection: TokenSelection) => boolean;
  ask: (selection: TokenSelection, opener: HTMLElement) => void;
  outcome: RevokeOutcome | null;
};
const Context = createContext<Questions | null>(null);

type Props = {
  /** Every active token. */
  tokens: readonly QuestionedToken[];
  /** The question that the page was asked to open with, for browsers without JavaScript: `?revoke=…`. */
  askedAbout: TokenSelection | null;
  /** What became of the question before, for browsers without JavaScript. */
  outcome: RevokeOutcome | null;
  asksPassword: boolean;
  /** What was wrong with the password that came with the last question, for browsers without JavaScript. */
  passwordError?: string | null;
  now: Date;
  children: React.ReactNode;
};

/** Opens and closes the question before a revocation in the browser, without a request. */
export function RevokeQuestions(props: Props) {
  const { tokens, askedAbout, outcome: written, asksPassword, passwordError = null, now, children } = props;
  const [selection, setSelection] = useState<TokenSelection | null>(askedAbout);
  const [outcome, setOutcome] = useState<RevokeOutcome | null>(null);
  const opener = useRef<HTMLElement | null>(null);

  const ask = (next: TokenSelection, from: HTMLElement) => {
    opener.current = from;
    setOutcome(null);
    setSelection(next);
  };
  /** Removes an answered question from the URL, so that Back or a reload does not ask it again. */
  const leave = () => {
    setSelection(null);
    if (askedAbout !== null) window.history.replaceState(null, "", TOKEN_PAGE);
  };
  const close = () => {
    leave();
    const origin = opener.current ?? document.getElementById(openerId(askedAbout));
    // Wait until the dialog is gone, because it restores the focus by itself.
    requestAnimationFrame(() => origin?.focus());
  };
  const finish = (result: RevokeOutcome) => {
    leave();
    setOutcome(result);
  };

  // This page cannot ask about tokens that it does not know, so the link leads to another page.
  const canAsk = (wanted: TokenSelection) =>
    wanted === "all" || wanted.every((id) => tokens.some((token) => token.id === id));
  const selectedTokens =
    selection === null || selection === "all" ? tokens : tokens.filter(({ id }) => selection.includes(id));
  return (
    <Context value={{ canAsk, ask, outcome: outcome ?? written }}>
      {children}
      {selection !== null && selectedTokens.length > 0 && (
        <RevokeDialog
          tokens={selectedTokens}
          isAll={selection === "all"}
          asksPassword={asksPassword}
          passwordError={passwordError}
          now={now}
          onCancel={close}
          onAnswer={finish}
        />
      )}
    </Context>
  );
}

/** Opens the question from controls other than `RevokeLink`. */
export function useAsk(): Questions["ask"] {
  return useQuestions().ask;
}

function useQuestions(): Questions {
  const questions = useContext(Context);
  if (!questions) throw new Error("This belongs inside RevokeQuestions.");
  return questions;
}

type LinkProps = {
  selection: TokenSelection;
  className: string | undefined;
  /** Keeps ids unique when a page has two links to the same question. */
  idPrefix?: string;
  children: React.ReactNode;
};

/** Asks before it revokes: in the browser at once, without JavaScript on a page of its own. */
export function RevokeLink({ selection, className, idPrefix = "", children }: LinkProps) {
  const { canAsk, ask } = useQuestions();
  return (
    <a
      id={`${idPrefix}${openerId(selection)}`}
      className={className}
      href={`${TOKEN_PAGE}?revoke=${selection === "all" ? "all" : selection.join(",")}`}
      data-stays
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || !canAsk(selection)) return;
        event.preventDefault();
        ask(selection, event.currentTarget);
      }}
    >
      {children}
    </a>
  );
}

/** What became of the last question, at the top of the page and in sight wherever one is on it. */
export function RevokeResult() {
  const { outcome } = useQuestions();
  return outcome && <OutcomeNotice outcome={outcome} />;
}

function openerId(selection: TokenSelection | null): string {
  return `revoke-${selection === null || selection === "all" ? "all" : selection.join("-")}`;
}
