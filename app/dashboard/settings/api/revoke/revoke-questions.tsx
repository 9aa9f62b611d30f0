"use client";

import { useRef, useState } from "react";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { revokeTokensAction } from "../actions";
import { SharedFacts, useFacts } from "../facts";
import type { Facts } from "../read-facts";
import { OutcomeNotice } from "./outcome-notice";
import type { QuestionedToken, RevokeOutcome, TokenSelection } from "./revocation";
import { RevokeDialog } from "./revoke-dialog";

type Props = {
  facts: Facts;
  /** Every active token. */
  tokens: readonly QuestionedToken[];
  /** The question that the page was opened with: `?revoke=…`. Without JavaScript every question is asked so. */
  asked?: TokenSelection | null;
  /** Why that question cannot be asked. */
  refusal?: RevokeOutcome | null;
  children: React.ReactNode;
};

/** Around a page of tokens: says at its top what came of revoking some, and asks in a dialog before it does. */
export function RevokeQuestions({ facts, tokens, asked = null, refusal = null, children }: Props) {
  const [selection, setSelection] = useState<TokenSelection | null>(asked);
  const opener = useRef<HTMLElement | null>(null);
  /** Removes an answered question from the URL, so that Back or a reload does not ask it again. */
  const leave = () => {
    setSelection(null);
    if (asked !== null) window.history.replaceState(null, "", TOKEN_PAGE);
  };
  const form = useFormAnswer(revokeTokensAction, (answer) => answer.kind !== "invalid" && leave());
  /** The answer to an earlier question. */
  const [past, setPast] = useState<typeof form.answer | null>(null);
  const answer = form.answer === past ? null : form.answer;

  const select = (wanted: TokenSelection | null) => tokens.filter(({ id }) => wanted === "all" || wanted?.includes(id));
  const ask = (wanted: TokenSelection, from: HTMLElement) => {
    if (wanted !== "all" && select(wanted).length < wanted.length) return false;
    opener.current = from;
    setPast(form.answer);
    setSelection(wanted);
    return true;
  };
  const cancel = () => {
    leave();
    const origin = opener.current ?? document.querySelector<HTMLElement>(`[href$="?revoke=${selection}"]`);
    // Wait until the dialog is gone, because it restores the focus by itself.
    requestAnimationFrame(() => origin?.focus());
  };
  const selected = select(selection);
  const outcome = !answer || answer.kind === "empty" || answer.kind === "invalid" ? refusal : answer;
  return (
    <SharedFacts value={{ ...facts, ask }}>
      {outcome && <OutcomeNotice outcome={outcome} />}
      {children}
      {selected.length > 0 && (
        <RevokeDialog
          tokens={selected}
          isAll={selection === "all"}
          passwordError={answer && form.errorOf("password")}
          form={form}
          onCancel={cancel}
        />
      )}
    </SharedFacts>
  );
}

type LinkProps = { selection: TokenSelection; className: string | undefined; children: React.ReactNode };

/** Asks before it revokes: in the browser at once, without JavaScript on the page that it leads to. */
export function RevokeLink({ selection, className, children }: LinkProps) {
  const { ask } = useFacts();
  return (
    <a
      className={className}
      href={`${TOKEN_PAGE}?revoke=${selection}`}
      data-stays
      onClick={(event) => {
        const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey);
        if (isPlain && ask(selection, event.currentTarget)) event.preventDefault();
      }}
    >
      {children}
    </a>
  );
}
