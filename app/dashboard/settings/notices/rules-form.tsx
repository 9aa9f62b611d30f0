"use client";

import { ActionForm } from "@/app/ui/action-form";
import { describedBy, Field, FieldError } from "@/app/ui/field";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { zoneText } from "@/lib/format/time-zone";
import { NOTICE_KINDS, SUBJECTS } from "@/lib/notices/kinds";
import type { NoticeChoices } from "@/lib/notices/settings";
import { saveRulesAction } from "./actions";
import styles from "./notices.module.css";

/** Each rule as a sentence about one thing. */
const RULES = Object.entries(NOTICE_KINDS).map(([kind, { subject, lasts, words }]) => {
  return { kind, lasts, sentence: `A ${SUBJECTS[subject]} ${words.is}` };
});

type Props = { current: NoticeChoices; zone: string };

/** Which notices an account gets, each a sentence with a check box, and its quiet hours. */
export function RulesForm({ current, zone }: Props) {
  const form = useFormAnswer(saveRulesAction);
  const { answer, errorOf } = form;
  const shown = answer.kind === "invalid" ? answer.typed : current;
  return (
    <ActionForm
      form={form}
      labelledBy="rules"
      noValidate
      done={answer.kind === "saved" && "The rules are saved."}
      submit={["Save the rules", "Saving…"]}
      tone="button quiet"
    >
      <fieldset className={`columns ${styles.wide}`}>
        <legend className="visually-hidden">What you are told</legend>
        {RULES.map(({ kind, sentence, lasts }) => (
          <div key={kind} className="row">
            <label className="control">
              <input className="check" type="checkbox" name={`on-${kind}`} defaultChecked={shown.on[kind]} />
              {sentence}
            </label>
            {lasts && (
              <label className={`control ${styles.delay}`}>
                for
                <input
                  className="input"
                  name={`minutes-${kind}`}
                  inputMode="numeric"
                  autoComplete="off"
                  maxLength={8}
                  defaultValue={shown.minutes[kind]}
                  {...describedBy(`minutes-${kind}`, errorOf(kind))}
                />
                minutes
                <span className="visually-hidden"> until you are told: {sentence}</span>
              </label>
            )}
            <FieldError id={`minutes-${kind}-error`} message={errorOf(kind)} />
          </div>
        ))}
        <label className="control">
          <input className="check" type="checkbox" name="on-recovered" defaultChecked={shown.on.recovered} />
          Also tell me when it is over
        </label>
        <label className="control">
          <input className="check" type="checkbox" name="on-shared" defaultChecked={shown.on.shared} />
          Also tell me about game services that others share with me
        </label>
      </fieldset>
      <div className="fields">
        <Field
          id="quiet-from"
          label="Quiet from"
          hint={`In ${zoneText(zone)}. What happens in quiet hours is sent when they end. Left empty: no quiet hours.`}
          error={errorOf("quiet")}
        >
          <input
            id="quiet-from"
            className="input"
            name="quietFrom"
            type="time"
            defaultValue={shown.quietFrom}
            {...describedBy("quiet-from", errorOf("quiet"), true)}
          />
        </Field>
        <Field id="quiet-to" label="Quiet until">
          <input id="quiet-to" className="input" name="quietTo" type="time" defaultValue={shown.quietTo} />
        </Field>
      </div>
    </ActionForm>
  );
}
