"use client";

import { useActionState, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Notice } from "@/app/ui/notice";
import { useSingleSubmit } from "@/app/ui/use-single-submit";
import { createTokenAction } from "./actions";
import type { CreateField, CreateState } from "./create-state";
import styles from "./create-token.module.css";
import { CreatedToken } from "./created-token";

/** One choice of when the new token expires. */
export type ExpiryChoice = { value: string; label: string };

type FormProps = {
  /** One-use number of the form: sent twice, it creates one token. */
  formNonce: string;
  choices: readonly ExpiryChoice[];
  /** The first day that can be chosen, in UTC. */
  firstDay: string;
  maxNameLength: number;
};
type Props = FormProps & {
  origin: string;
  /** First requests by token, as far as the page knows them. */
  firstUses: Readonly<Record<number, FirstUse>>;
};
export type FirstUse = { at: string; exactly: string; iso: string; address: string | null };

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
function Round({ origin, firstUses, onDone, ...form }: Props & { isLater: boolean; onDone: () => void }) {
  const [state, action, isPending] = useActionState<CreateState, FormData>(createTokenAction, { kind: "empty" });
  if (state.kind === "created" || state.kind === "already-created") {
    return <CreatedToken answer={state} origin={origin} firstUse={firstUses[state.token.id]} onDone={onDone} />;
  }
  return <CreateForm {...form} state={state} action={action} isPending={isPending} />;
}

type CreateFormProps = FormProps & {
  state: Extract<CreateState, { kind: "empty" | "invalid" }>;
  action: (form: FormData) => void;
  isPending: boolean;
  isLater: boolean;
};

function CreateForm({
  formNonce,
  choices,
  firstDay,
  maxNameLength,
  state,
  action,
  isPending,
  isLater,
}: CreateFormProps) {
  const submitOnce = useSingleSubmit(isPending);
  const form = useRef<HTMLFormElement>(null);
  const values = state.kind === "invalid" ? state.values : { name: "", expiry: choices[0]?.value ?? "", date: "" };
  const wrong = (field: CreateField) => state.kind === "invalid" && state.field === field;
  const message = state.kind === "invalid" ? state.message : null;

  useEffect(() => {
    if (state.kind === "invalid") form.current?.querySelector<HTMLElement>("[data-wrong]")?.focus();
    // After "Done" the person is where a next token would be created.
    else if (isLater) form.current?.querySelector<HTMLElement>("[name=name]")?.focus();
  }, [state, isLater]);

  /** Marks the field to look at: focused with JavaScript by the effect above, without it by the attribute. */
  const mark = (isWrong: boolean, errorId: string) =>
    isWrong ? { "data-wrong": true, "aria-invalid": true, "aria-describedby": errorId, autoFocus: true } : {};

  return (
    <form ref={form} className={`card ${styles.form}`} action={action} onSubmit={submitOnce} aria-labelledby="create">
      <h2 id="create">Create a token</h2>
      {wrong("form") && (
        <Notice tone="danger" role="alert" on={state}>
          {message}
        </Notice>
      )}
      <input type="hidden" name="formNonce" value={formNonce} />
      <div className={styles.fields}>
        <div className={`field ${styles.name}`}>
          <label htmlFor="name">Name</label>
          <input
            id="name"
            className="input"
            name="name"
            defaultValue={values.name}
            placeholder="Grafana on monitor-1"
            autoComplete="off"
            // Browsers count an emoji as two; the server counts what people count.
            maxLength={2 * maxNameLength}
            required
            {...mark(wrong("name"), "name-error")}
          />
          {wrong("name") && (
            <p id="name-error" className="error" role="alert">
              {message}
            </p>
          )}
        </div>
        <div className={`field ${styles.expiry}`}>
          <label htmlFor="expiry">Expires</label>
          {/* A reset form goes back to the option it was born with, so it is born again with the one last chosen. */}
          <select
            key={values.expiry}
            id="expiry"
            className={`input ${styles.select}`}
            name="expiry"
            defaultValue={values.expiry}
            {...mark(wrong("expiry"), "expiry-error")}
          >
            {choices.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          {wrong("expiry") && (
            <p id="expiry-error" className="error" role="alert">
              {message}
            </p>
          )}
        </div>
        <div className={`field ${styles.date}`}>
          <label htmlFor="date">Last day</label>
          <input
            id="date"
            className="input"
            name="date"
            type="date"
            min={firstDay}
            max="9999-12-31"
            defaultValue={values.date}
            aria-describedby="date-hint"
            {...mark(wrong("date"), "date-error date-hint")}
          />
          <p id="date-hint" className="hint">
            Works until the end of that day, UTC.
          </p>
          {wrong("date") && (
            <p id="date-error" className="error" role="alert">
              {message}
            </p>
          )}
        </div>
        <div className={styles.submit}>
          <button className="button" type="submit" aria-disabled={isPending}>
            {isPending ? "Creating…" : "Create token"}
          </button>
        </div>
      </div>
    </form>
  );
}
