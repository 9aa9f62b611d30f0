"use client";

import { SubmitButton } from "@/app/ui/button-row";
import { describedBy, Field } from "@/app/ui/field";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { ShownOnce } from "@/app/ui/shown-once";
import { DateOf } from "@/app/ui/time";
import { type FormAnswer, useFormAnswer } from "@/app/ui/use-form-answer";
import { replaceTokenAction } from "../actions";
import { type CreateField, type CreateState, UNSENT } from "../create/create-state";
import { CreatedToken } from "../create/created-token";
import { PasswordField } from "../password-field";

/** The usual choice comes first: a day is enough to put the new token wherever the old one is used. */
const OVERLAPS = [
  ["day", "In 1 day"],
  ["hour", "In 1 hour"],
  ["week", "In 7 days"],
  ["first-use", "When the new one is first used"],
  ["none", "At once"],
] as const;

type Fields = { id: number; formNonce: string; expiry: Date | null; asksPassword: boolean };
type Props = Fields & { origin: string; now: Date };

/** Shows the form that replaces a token, then the new token. */
export function ReplaceToken(props: Props) {
  return (
    <ShownOnce>
      <FormOrToken {...props} />
    </ShownOnce>
  );
}

/** Shows either the form or the token. A form contains the last answer and would send the token to the server. */
function FormOrToken({ origin, now, ...fields }: Props) {
  const form = useFormAnswer<CreateState>(replaceTokenAction, UNSENT);
  const { answer } = form;
  if (answer.kind === "created" || answer.kind === "already-created") {
    return <CreatedToken answer={answer} origin={origin} now={now} />;
  }
  return <ReplaceForm {...fields} form={form} />;
}

function ReplaceForm({ id, formNonce, expiry, asksPassword, form }: Fields & { form: FormAnswer<CreateState> }) {
  const { answer: state, formAction, onSubmit, isPending, hasFailed } = form;
  const messageFor = (field: CreateField) => (state.kind === "invalid" && state.field === field ? state.message : null);
  const [formError, overlapError, passwordError] = [messageFor("form"), messageFor("overlap"), messageFor("password")];
  return (
    <form className="card card-body" action={formAction} onSubmit={onSubmit} aria-labelledby="replace">
      <p>
        {expiry ? (
          <>
            The new token expires on <DateOf at={expiry} />.
          </>
        ) : (
          "The new token does not expire."
        )}
      </p>
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
              defaultValue={(state.kind === "invalid" && state.values.overlap) || "day"}
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
        <SubmitButton className="button quiet" isPending={isPending} pending="Replacing…">
          Replace token
        </SubmitButton>
      </div>
    </form>
  );
}
