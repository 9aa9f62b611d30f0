"use client";

import { describedBy, Field } from "@/app/ui/field";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { useSubmission } from "@/app/ui/use-submission";
import { dateText } from "@/lib/relative-time";
import { replaceTokenAction } from "../actions";
import type { CreateField } from "../create/create-state";
import { NewTokenRounds, type RoundProps } from "../create/new-token-rounds";
import { PasswordField } from "../password-field";

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
    <form className="card card-body" action={action} onSubmit={onSubmit} aria-labelledby="replace">
      <p>{expiry ? `The new token expires on ${dateText(expiry)}.` : "The new token does not expire."}</p>
      {(hasFailed || formError) && (
        <div>
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
      <div className="fields">
        <Field id="overlap" label="The old token ends" error={overlapError}>
          <span className="select">
            <select
              id="overlap"
              className="input"
              name="overlap"
              defaultValue={(state.kind === "invalid" && state.values.overlap) || "first-use"}
              {...describedBy("overlap", overlapError)}
            >
              {OVERLAPS.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </span>
        </Field>
        {(asksPassword || passwordError) && <PasswordField id="password-to-replace" error={passwordError} />}
        <button className="button quiet" type="submit" aria-disabled={isPending}>
          {isPending ? "Replacing…" : "Replace token"}
        </button>
      </div>
    </form>
  );
}
