"use client";

import { useActionState, useRef, useState } from "react";
import { TOKEN_PAGE } from "@/app/paths";
import { Field } from "@/app/ui/field";
import { Fingerprint } from "@/app/ui/fingerprint";
import { NoAnswer } from "@/app/ui/no-answer";
import { Time } from "@/app/ui/time";
import { useSubmission } from "@/app/ui/use-submission";
import styles from "./which-token.module.css";
import { type WhichToken, whichTokenAction } from "./which-token-action";

/** Tells which token somebody holds in their hand. */
export function WhichTokenForm() {
  // Without JavaScript the answer comes with the page; with it, to `onSubmit`.
  const [written, action] = useActionState<WhichToken, FormData>(whichTokenAction, { kind: "empty" });
  const [answer, setAnswer] = useState<WhichToken | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const { onSubmit, isPending, hasFailed } = useSubmission(
    (form) => whichTokenAction({ kind: "empty" }, form),
    (next) => {
      setAnswer(next);
      // Nothing that may be a token stays on the page.
      if (field.current) field.current.value = "";
    },
  );
  return (
    <form className="card card-body" action={action} onSubmit={onSubmit} aria-labelledby="which">
      {hasFailed && <NoAnswer>Sending it again is safe.</NoAnswer>}
      <div className="fields">
        <Field
          id="pasted"
          label="A token, or its last four characters"
          hint="It is compared and then forgotten: neither stored nor logged."
        >
          <input
            ref={field}
            id="pasted"
            className="input mono"
            name="pasted"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            maxLength={200}
            required
            aria-describedby="pasted-hint"
          />
        </Field>
        <button type="submit" className="button quiet" aria-disabled={isPending}>
          Find it
        </button>
      </div>
      <div role="status">
        <Answer answer={answer ?? written} />
      </div>
    </form>
  );
}

function Answer({ answer }: { answer: WhichToken }) {
  if (answer.kind === "empty") return null;
  if (answer.kind === "message") return <p>{answer.message}</p>;
  const now = new Date(answer.now);
  return (
    <ul className={styles.found}>
      {answer.tokens.map(({ id, name, hint, state, endedAt, lastUsedAt }) => (
        <li key={id}>
          <a className="inline-link" href={`${TOKEN_PAGE}/${id}`}>
            <strong>{name}</strong>
          </a>{" "}
          (<Fingerprint hint={hint} />){" "}
          {state === "active" ? "is active" : `${state === "revoked" ? "was revoked" : "expired"} `}
          {endedAt !== null && state !== "active" && <Time at={new Date(endedAt)} now={now} />};{" "}
          {lastUsedAt === null ? (
            "it was never used."
          ) : (
            <>
              last used <Time at={new Date(lastUsedAt)} now={now} />.
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
