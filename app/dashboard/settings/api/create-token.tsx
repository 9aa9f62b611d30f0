"use client";

import { useActionState, useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { createTokenAction } from "./actions";
import { CreateForm, type CreateFormProps } from "./create-form";
import type { CreateState } from "./create-state";
import { CreatedToken } from "./created-token";

const NOTHING: CreateState = { kind: "empty" };

type Props = Pick<CreateFormProps, "formNonce" | "choices" | "firstDay" | "maxNameLength"> & {
  origin: string;
  now: Date;
};

/** The form that creates a token, and after that the token. Each round begins with nothing known. */
export function CreateToken(props: Props) {
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
function Round({ origin, now, onDone, isLater, ...form }: Props & { isLater: boolean; onDone: () => void }) {
  // Without JavaScript the answer comes with the page; with it, to the form.
  const [written, action] = useActionState<CreateState, FormData>(createTokenAction, NOTHING);
  const [answer, setAnswer] = useState<CreateState | null>(null);
  const state = isLater ? (answer ?? NOTHING) : (answer ?? written);
  if (state.kind === "created" || state.kind === "already-created") {
    return <CreatedToken answer={state} origin={origin} now={now} onDone={onDone} />;
  }
  return <CreateForm {...form} state={state} action={action} onAnswer={setAnswer} isLater={isLater} />;
}
