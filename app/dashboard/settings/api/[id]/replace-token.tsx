"use client";

import { ActionForm } from "@/app/ui/action-form";
import { SubmitButton } from "@/app/ui/button-row";
import { describedBy, Field } from "@/app/ui/field";
import { Select } from "@/app/ui/select";
import { shownOnce } from "@/app/ui/shown-once";
import { DateOf } from "@/app/ui/time";
import { type FormAnswer, useFormAnswer } from "@/app/ui/use-form-answer";
import { replaceTokenAction } from "../actions";
import type { CreateState } from "../create/create-state";
import { CreatedToken } from "../create/created-token";
import { PasswordAgain } from "../password-again";

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
export const ReplaceToken = shownOnce(({ origin, now, ...fields }: Props) => {
  const form = useFormAnswer(replaceTokenAction);
  const { answer } = form;
  if (answer.kind === "created" || answer.kind === "already-created") {
    return <CreatedToken answer={answer} origin={origin} now={now} />;
  }
  return <ReplaceForm {...fields} form={form} />;
});

function ReplaceForm({ id, formNonce, expiry, asksPassword, form }: Fields & { form: FormAnswer<CreateState> }) {
  const { answer: state, errorOf } = form;
  const [overlapError, passwordError] = [errorOf("overlap"), errorOf("password")];
  return (
    <ActionForm
      form={form}
      labelledBy="replace"
      again="Sending it again is safe: this form creates one token."
      refusal={errorOf("form")}
      hidden={{ id, formNonce }}
    >
      <p>
        {expiry ? (
          <>
            The new token expires on <DateOf at={expiry} />.
          </>
        ) : (
          "The new token does not expire."
        )}
      </p>
      <div className="fields">
        <Field id="overlap" label="The old token ends" error={overlapError}>
          <Select
            id="overlap"
            name="overlap"
            defaultValue={(state.kind === "invalid" && state.values.overlap) || "day"}
            options={OVERLAPS}
            {...describedBy("overlap", overlapError)}
          />
        </Field>
        {(asksPassword || passwordError) && <PasswordAgain id="password-to-replace" error={passwordError} />}
        <SubmitButton className="button quiet" isPending={form.isPending} pending="Replacing…">
          Replace token
        </SubmitButton>
      </div>
    </ActionForm>
  );
}
