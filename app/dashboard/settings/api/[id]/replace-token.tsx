"use client";

import { ActionForm } from "@/app/ui/action-form";
import { SubmitButton } from "@/app/ui/button-row";
import { PasswordAgain } from "@/app/ui/password-again";
import { SettingsSection } from "@/app/ui/section";
import { Select } from "@/app/ui/select";
import { shownOnce } from "@/app/ui/shown-once";
import { DateOf } from "@/app/ui/time";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { replaceTokenAction } from "../actions";
import { CreatedToken } from "../create/created-token";
import { useFacts } from "../facts";

/** The usual choice comes first: a day is enough to put the new token wherever the old one is used. */
const OVERLAPS = [
  ["day", "In 1 day"],
  ["hour", "In 1 hour"],
  ["week", "In 7 days"],
  ["first-use", "When the new one is first used"],
  ["none", "At once"],
] as const;

type Props = { id: number; isActive: boolean; formNonce: string; expiry: Date | null };

/** Shows the form that replaces a token, then the new token, even though the old one may have ended by that. */
export const ReplaceToken = shownOnce(({ id, isActive, formNonce, expiry }: Props) => {
  const { asksPassword } = useFacts();
  const form = useFormAnswer(replaceTokenAction);
  const { answer, errorOf } = form;
  const isMade = answer.kind === "created";
  if (!isMade && !isActive) return null;
  return (
    <SettingsSection
      id="replace"
      title="Replace"
      about="A new token with the same name and networks. Both work until the old one ends."
    >
      {isMade ? (
        <CreatedToken answer={answer} />
      ) : (
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
            <Select
              id="overlap"
              label="The old token ends"
              name="overlap"
              defaultValue={(answer.kind === "refused" && answer.values.overlap) || "day"}
              options={OVERLAPS}
              error={errorOf("overlap")}
            />
            <PasswordAgain id="password-to-replace" isAsked={asksPassword} error={errorOf("password")} />
            <SubmitButton className="button quiet" isPending={form.isPending} pending="Replacing…">
              Replace token
            </SubmitButton>
          </div>
        </ActionForm>
      )}
    </SettingsSection>
  );
});
