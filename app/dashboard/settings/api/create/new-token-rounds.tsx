"use client";

import { useActionState, useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { type CreateState, NOTHING_YET } from "./create-state";
import { CreatedToken } from "./created-token";

/** What a form that asks for a token needs to know. */
export type RoundProps = {
  state: Extract<CreateState, { kind: "empty" | "invalid" }>;
  /** For browsers without JavaScript. */
  action: (form: FormData) => void;
  /** With JavaScript. */
  send: (form: FormData) => Promise<CreateState>;
  onAnswer: (answer: CreateState) => void;
  /** A token was created on this page before. */
  isLater: boolean;
};

type Props = {
  send: (state: CreateState, form: FormData) => Promise<CreateState>;
  origin: string;
  now: Date;
  form: (props: RoundProps) => React.ReactNode;
};

/** A form that creates a token, and after that the token. Each round begins with nothing known. */
export function NewTokenRounds(props: Props) {
  const [round, setRound] = useState(0);
  const nextRound = () => setRound((before) => before + 1);

  useEffect(() => {
    // A browser may keep the page as it was left, to show it again on Back; the token must not be on it then.
    const forget = () => flushSync(() => setRound((before) => before + 1));
    window.addEventListener("pagehide", forget);
    return () => window.removeEventListener("pagehide", forget);
  }, []);

  return <Round key={round} {...props} isLater={round > 0} onDone={nextRound} />;
}

/**
 * Either the form or the answer, never both: a form on the page carries the last answer with it, and would send the
 * token back to the server.
 */
function Round({ send, origin, now, form: Form, isLater, onDone }: Props & { isLater: boolean; onDone: () => void }) {
  // Without JavaScript the answer comes with the page; with it, to the form.
  const [written, action] = useActionState<CreateState, FormData>(send, NOTHING_YET);
  const [answer, setAnswer] = useState<CreateState | null>(null);
  const state = answer ?? (isLater ? NOTHING_YET : written);
  if (state.kind === "created" || state.kind === "already-created") {
    return <CreatedToken answer={state} origin={origin} now={now} onDone={onDone} />;
  }
  return Form({ state, action, send: (form) => send(NOTHING_YET, form), onAnswer: setAnswer, isLater });
}
