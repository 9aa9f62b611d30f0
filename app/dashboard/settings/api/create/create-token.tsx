"use client";

import { useEffect, useState } from "react";
import { ActionForm } from "@/app/ui/action-form";
import { SubmitButton } from "@/app/ui/button-row";
import { PasswordAgain } from "@/app/ui/password-again";
import { Select } from "@/app/ui/select";
import { shownOnce } from "@/app/ui/shown-once";
import { useShownOnce } from "@/app/ui/shown-once-context";
import { useTimeZone } from "@/app/ui/signed-in";
import { TextField } from "@/app/ui/text-field";
import { forgetTyped, keepTyped, restoreTyped } from "@/app/ui/typed-text";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { dateText } from "@/lib/format/relative-time";
import { DAY } from "@/lib/format/time";
import { zoneText } from "@/lib/format/time-zone";
import { dayOf, EXPIRY_DAYS, EXPIRY_ON_DATE, NO_EXPIRY } from "@/lib/tokens/expiry";
import { createTokenAction } from "../actions";
import { useFacts } from "../facts";
import { NetworksField } from "../networks/networks-field";
import styles from "./create-token.module.css";
import { CreatedToken } from "./created-token";

const EMPTY = { name: "", expiry: NO_EXPIRY, date: "", networks: "" };

/**
 * Asks for the name, the end and the networks of a new token, and says what was wrong with them; then shows the token.
 * `formNonce`: the one-use number of the form. A form that is sent twice creates one token.
 */
export const CreateToken = shownOnce(({ formNonce }: { formNonce: string }) => {
  const { asksPassword } = useFacts();
  const form = useFormAnswer(createTokenAction, ({ kind }) => kind === "created" && forgetTyped());
  const { answer, isPending } = form;
  /** The answer whose error the person has already reacted to by typing. */
  const [settled, setSettled] = useState<typeof answer | null>(null);
  const errorOf = (field: string) => (answer === settled ? null : form.errorOf(field));

  // After signing in again the page comes without being loaded.
  useEffect(restoreTyped, []);

  if (answer.kind === "created") return <CreatedToken answer={answer} />;

  const onInput = (event: React.FormEvent<HTMLFormElement>) => {
    const { name } = event.target as HTMLInputElement;
    keepTyped(event.currentTarget);
    if (form.errorOf(name) !== null) setSettled(answer);
  };
  const { name, networks, ...end } = { ...EMPTY, ...(answer.kind === "refused" && answer.values) };
  const networksError = errorOf("networks");
  return (
    <ActionForm
      form={form}
      onInput={onInput}
      labelledBy="create"
      title={<h2 id="create">Create a token</h2>}
      again="What you typed is still here, and sending it again is safe: this form creates one token."
      refusal={errorOf("form")}
      hidden={{ formNonce }}
    >
      <div className={`fields ${styles.fields}`}>
        <NameField key={name} typed={name} error={errorOf("name")} />
        <ExpiryFields {...end} errorOf={errorOf} />
        <details className={`disclosure whole ${styles.networks}`} open={networks !== "" || networksError !== null}>
          <summary>Only from certain networks</summary>
          <NetworksField id="networks" label="Only from these networks" typed={networks} error={networksError} />
        </details>
        <PasswordAgain isAsked={asksPassword} error={errorOf("password")} />
        <SubmitButton className={`button ${styles.submit}`} isPending={isPending} pending="Creating…">
          Create token
        </SubmitButton>
      </div>
    </ActionForm>
  );
});

type ExpiryProps = { expiry: string; date: string; errorOf: (field: string) => string | null };

/** When the token expires: after so many days, or on a date. */
function ExpiryFields({ expiry, date, errorOf }: ExpiryProps) {
  const { now } = useFacts();
  const zone = useTimeZone();
  const after = (days: number) => dateText(new Date(now.getTime() + days * DAY), zone);
  return (
    <>
      <Select
        id="expiry"
        label="Expires"
        name="expiry"
        defaultValue={expiry}
        options={[
          [NO_EXPIRY, "Never"],
          ...EXPIRY_DAYS.map((days) => [String(days), `In ${days} days (${after(days)})`] as const),
          [EXPIRY_ON_DATE, "On a date…"],
        ]}
        error={errorOf("expiry")}
        className={styles.expiry}
      />
      <TextField
        name="date"
        label="Last day"
        hint={`Works until the end of that day, ${zoneText(zone)}.`}
        type="date"
        min={dayOf(now, zone)}
        max="9999-12-31"
        value={date}
        autoComplete={undefined}
        isOptional
        error={errorOf("date")}
        fieldClass={styles.date}
      />
    </>
  );
}

/** Shows the length of the name near its limit. Longer names can be typed, because browsers would cut them silently. */
function NameField({ typed, error }: { typed: string; error: string | null }) {
  const { isReset } = useShownOnce();
  const { maxNameLength } = useFacts();
  const [length, setLength] = useState([...typed.trim()].length);
  const excess = length - maxNameLength;
  const message =
    excess > 0
      ? `That is ${excess} ${excess === 1 ? "character" : "characters"} too many: ${maxNameLength} is the most.`
      : error;
  const count = length > maxNameLength * 0.75 ? `${length} of` : "Up to";
  return (
    <TextField
      id="name"
      label="Name"
      hint={`${count} ${maxNameLength} characters`}
      name="name"
      value={typed}
      placeholder="Grafana on monitor-1"
      // Browsers count an emoji as two; the server counts what people count.
      maxLength={4 * maxNameLength}
      onInput={(event) => setLength([...event.currentTarget.value.trim()].length)}
      error={message}
      fieldClass={styles.name}
      // After "Done", the name of the next token can be typed at once.
      autoFocus={isReset || error !== null}
    />
  );
}
