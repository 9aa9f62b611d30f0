"use client";

import { useEffect, useState } from "react";
import { ActionForm } from "@/app/ui/action-form";
import { SubmitButton } from "@/app/ui/button-row";
import { describedBy, Field } from "@/app/ui/field";
import { PasswordAgain } from "@/app/ui/password-again";
import { Select } from "@/app/ui/select";
import { useShownOnce } from "@/app/ui/shown-once-context";
import { useTimeZone } from "@/app/ui/time-zone";
import { keepTyped, restoreTyped } from "@/app/ui/typed-text";
import type { FormAnswer } from "@/app/ui/use-form-answer";
import { zoneText } from "@/lib/format/time-zone";
import { useFacts } from "../facts";
import { NetworksField } from "../networks/networks-field";
import type { CreateField, CreateState } from "./create-state";
import styles from "./create-token.module.css";

export type CreateFormProps = {
  form: FormAnswer<CreateState>;
  /** The one-use number of the form. A form that is sent twice creates one token. */
  formNonce: string;
  /** When the new token can expire. */
  choices: readonly (readonly [value: string, label: string])[];
  /** The first day that can be chosen, in the zone of the account. */
  firstDay: string;
  maxNameLength: number;
};

const EMPTY = { name: "", expiry: "", date: "", networks: "" };

/** Asks for the name, the end and the networks of a new token, and says what was wrong with them. */
export function CreateForm(props: CreateFormProps) {
  const { formNonce, choices, firstDay, maxNameLength } = props;
  const { asksPassword } = useFacts();
  const { answer: state, isPending } = props.form;
  /** The answer whose error the person has already reacted to by typing. */
  const [settled, setSettled] = useState<CreateState | null>(null);
  const values = state.kind === "invalid" ? state.values : { ...EMPTY, expiry: choices[0]?.[0] ?? "" };
  const messageFor = (field: CreateField) =>
    state.kind === "invalid" && state !== settled && state.field === field ? state.message : null;

  // After signing in again the page comes without being loaded.
  useEffect(restoreTyped, []);

  const onInput = (event: React.FormEvent<HTMLFormElement>) => {
    const { name } = event.target as HTMLInputElement;
    keepTyped(event.currentTarget);
    if (state.kind === "invalid" && state.field === name) setSettled(state);
  };

  const networksError = messageFor("networks");
  return (
    <ActionForm
      form={props.form}
      onInput={onInput}
      labelledBy="create"
      title={<h2 id="create">Create a token</h2>}
      again="What you typed is still here, and sending it again is safe: this form creates one token."
      refusal={messageFor("form")}
      hidden={{ formNonce }}
    >
      <div className={`fields ${styles.fields}`}>
        <NameField key={values.name} maxLength={maxNameLength} typed={values.name} error={messageFor("name")} />
        <ExpiryFields
          {...{ choices, firstDay, values }}
          errors={{ expiry: messageFor("expiry"), date: messageFor("date") }}
        />
        <details
          className={`disclosure whole ${styles.networks}`}
          open={values.networks !== "" || networksError !== null}
        >
          <summary>Only from certain networks</summary>
          <NetworksField id="networks" label="Only from these networks" typed={values.networks} error={networksError} />
        </details>
        <PasswordAgain isAsked={asksPassword} error={messageFor("password")} />
        <SubmitButton className={`button ${styles.submit}`} isPending={isPending} pending="Creating…">
          Create token
        </SubmitButton>
      </div>
    </ActionForm>
  );
}

type ExpiryProps = Pick<CreateFormProps, "choices" | "firstDay"> & {
  values: { expiry: string; date: string };
  errors: { expiry: string | null; date: string | null };
};

/** When the token expires: after so many days, or on a date. */
function ExpiryFields({ choices, firstDay, values, errors }: ExpiryProps) {
  const zone = useTimeZone();
  return (
    <>
      <Field id="expiry" label="Expires" error={errors.expiry} className={styles.expiry}>
        {/* React resets the form to its default option after an action, so the default is the last choice. */}
        <Select
          key={values.expiry}
          id="expiry"
          name="expiry"
          defaultValue={values.expiry}
          options={choices}
          {...describedBy("expiry", errors.expiry)}
        />
      </Field>
      <Field
        id="date"
        label="Last day"
        hint={`Works until the end of that day, ${zoneText(zone)}.`}
        error={errors.date}
        className={styles.date}
      >
        <input
          id="date"
          className="input"
          name="date"
          type="date"
          min={firstDay}
          max="9999-12-31"
          defaultValue={values.date}
          {...describedBy("date", errors.date, true)}
        />
      </Field>
    </>
  );
}

/** Shows the length of the name near its limit. Longer names can be typed, because browsers would cut them silently. */
function NameField({ maxLength, typed, error }: { maxLength: number; typed: string; error: string | null }) {
  const { isReset } = useShownOnce();
  const [length, setLength] = useState([...typed.trim()].length);
  const excess = length - maxLength;
  const message =
    excess > 0
      ? `That is ${excess} ${excess === 1 ? "character" : "characters"} too many: ${maxLength} is the most.`
      : error;
  return (
    <Field
      id="name"
      label="Name"
      hint={length > maxLength * 0.75 ? `${length} of ${maxLength} characters` : `Up to ${maxLength} characters`}
      error={message}
      className={styles.name}
    >
      <input
        id="name"
        className="input"
        name="name"
        defaultValue={typed}
        placeholder="Grafana on monitor-1"
        autoComplete="off"
        // Browsers count an emoji as two; the server counts what people count.
        maxLength={4 * maxLength}
        required
        onInput={(event) => setLength([...event.currentTarget.value.trim()].length)}
        {...describedBy("name", message, true)}
        // biome-ignore lint/a11y/noAutofocus: after "Done", the name of the next token can be typed at once
        autoFocus={isReset || error !== null}
      />
    </Field>
  );
}
