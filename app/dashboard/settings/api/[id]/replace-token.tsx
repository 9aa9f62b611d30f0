"use client";

import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { useSubmission } from "@/app/ui/use-submission";
import { dateText } from "@/lib/relative-time";
import { replaceTokenAction } from "../actions";
import type { CreateField } from "../create/create-state";
import select from "../create/create-token.module.css";
import { NewTokenRounds, type RoundProps } from "../create/new-token-rounds";
import { FieldError, invalid } from "../field-error";
import { PasswordField } from "../password-field";
import styles from "./page.module.css";

const OVERLAPS = [
  ["first-use", "When the new one is first used"],
  ["none", "At once"],
  ["hour", "In 1 hour"],
  ["day", "In 1 day"],
  ["week", "In 7 days"],
] as const;

type Fields = { id: number; formNonce: string; expiry: Date | null; asksPassword: boolean };
type Props = Fields & { origin: string; now: Date };

/** A new token with the same name, and when the old one ends; after that the new token. */
export function ReplaceToken({ origin, now, ...fields }: Props) {
  return (
    <NewTokenRounds
      send={replaceTokenAction}
      origin={origin}
      now={now}
      form={(round) => <ReplaceForm {...fields} {...round} />}
    />
  );
}

function ReplaceForm({ id, formNonce, expiry, asksPassword, state, action, send, onAnswer }: Fields & RoundProps) {
  const { onSubmit, isPending, hasFailed } = useSubmission(send, onAnswer);
  const messageFor = (field: CreateField) => (state.kind === "invalid" && state.field === field ? state.message : null);
  const [formError, overlapError, passwordError] = [messageFor("form"), messageFor("overlap"), messageFor("password")];
  return (
    <form className={styles.form} action={action} onSubmit={onSubmit} aria-labelledby="replace">
      <p className={`soft ${styles.wide}`}>
        Makes a new token with the same name{expiry ? `, which expires on ${dateText(expiry)}` : " and without an end"}.
        Both work until the old one ends.
      </p>
      {(hasFailed || formError) && (
        <div className={styles.wide}>
          {hasFailed ? (
            <NoAnswer>Sending it again is safe: this form creates one token.</NoAnswer>
          ) : (
            <Notice tone="danger" role="alert" on={state}>
              {formError}
            </Notice>
          )}
        </div>
      )}
      <input type="hidden" name="id" value={id} />
      <input type="hidden" name="formNonce" value={formNonce} />
      <div className={`field ${styles.field}`}>
        <label htmlFor="overlap">The old token ends</label>
        <span className={select.select}>
          <select
            id="overlap"
            className="input"
            name="overlap"
            defaultValue={(state.kind === "invalid" && state.values.overlap) || "first-use"}
            {...invalid(overlapError, "overlap-error")}
          >
            {OVERLAPS.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </span>
        <FieldError id="overlap-error" message={overlapError} />
      </div>
      {(asksPassword || passwordError) && <PasswordField id="password-to-replace" error={passwordError} />}
      <button className="button quiet" type="submit" aria-disabled={isPending}>
        {isPending ? "Replacing…" : "Replace token"}
      </button>
    </form>
  );
}
