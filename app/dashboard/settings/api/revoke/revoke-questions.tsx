"use client";

import { createContext, useContext, useRef, useState } from "react";
import { TOKEN_PAGE } from "@/app/paths";
import type { AskedToken, RevokeOutcome, Which } from "./revocation";
import { RevokeDialog } from "./revoke-dialog";
import { OutcomeNotice } from "./revoke-outcome";

type Questions = {
  canAsk: (which: Which) => boolean;
  ask: (which: Which, opener: HTMLElement) => void;
  outcome: RevokeOutcome | null;
};
const Context = createContext<Questions | null>(null);

type Props = {
  /** Every active token. */
  tokens: readonly AskedToken[];
  /** The question that the page was asked to open with, for browsers without JavaScript: `?revoke=…`. */
  asked: Which | null;
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
  const { tokens, asked, outcome: written, asksPassword, passwordError = null, now, children } = props;
  const [which, setWhich] = useState<Which | null>(asked);
  const [outcome, setOutcome] = useState<RevokeOutcome | null>(null);
  const opener = useRef<HTMLElement | null>(null);

  const ask = (next: Which, from: HTMLElement) => {
    opener.current = from;
    setOutcome(null);
    setWhich(next);
  };
  /** Removes an answered question from the URL, so that Back or a reload does not ask it again. */
  const leave = () => {
    setWhich(null);
    if (asked !== null) window.history.replaceState(null, "", TOKEN_PAGE);
  };
  const close = () => {
    leave();
    const origin = opener.current ?? document.getElementById(openerId(asked));
    // Wait until the dialog is gone, because it restores the focus by itself.
    requestAnimationFrame(() => origin?.focus());
  };
  const finish = (result: RevokeOutcome) => {
    leave();
    setOutcome(result);
  };

  // This page cannot ask about tokens that it does not know, so the link leads to another page.
  const canAsk = (wanted: Which) => wanted === "all" || wanted.every((id) => tokens.some((token) => token.id === id));
  const meant = which === null || which === "all" ? tokens : tokens.filter(({ id }) => which.includes(id));
  return (
    <Context value={{ canAsk, ask, outcome: outcome ?? written }}>
      {children}
      {which !== null && meant.length > 0 && (
        <RevokeDialog
          tokens={meant}
          isAll={which === "all"}
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
  which: Which;
  className: string | undefined;
  /** Keeps ids unique when a page has two links to the same question. */
  idPrefix?: string;
  children: React.ReactNode;
};

/** Asks before it revokes: in the browser at once, without JavaScript on a page of its own. */
export function RevokeLink({ which, className, idPrefix = "", children }: LinkProps) {
  const { canAsk, ask } = useQuestions();
  return (
    <a
      id={`${idPrefix}${openerId(which)}`}
      className={className}
      href={`${TOKEN_PAGE}?revoke=${which === "all" ? "all" : which.join(",")}`}
      data-stays
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || !canAsk(which)) return;
        event.preventDefault();
        ask(which, event.currentTarget);
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

function openerId(which: Which | null): string {
  return `revoke-${which === null || which === "all" ? "all" : which.join("-")}`;
}
