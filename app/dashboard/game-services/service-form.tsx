"use client";

import { useActionState, useState } from "react";
import { ButtonRow, SubmitButton } from "@/app/ui/button-row";
import { NoAnswer } from "@/app/ui/no-answer";
import { Notice } from "@/app/ui/notice";
import { TextField, type TextFieldSpec } from "@/app/ui/text-field";
import { useSubmission } from "@/app/ui/use-submission";
import type { FormAnswer } from "./form-answer";

const NOTHING: FormAnswer = { kind: "empty" };

type Props = {
  action: (answer: FormAnswer, form: FormData) => Promise<FormAnswer>;
  /** What the form does, for screen readers. */
  label: string;
  /** Sent along unseen. */
  hidden: Readonly<Record<string, string | number>>;
  fields?: readonly TextFieldSpec[];
  submit: string;
  pending: string;
  /** Explains what a second submission does, when no answer came. */
  again: string;
  tone?: "button" | "button quiet" | "button danger" | "plain-button" | "button quiet wary";
  className?: string;
  /** Beside the button. */
  children?: React.ReactNode;
};

/** A form of a game service: its fields, its button, and what came of it. */
export function ServiceForm({ action, label, hidden, fields = [], submit, pending, again, ...rest }: Props) {
  const { tone = "button", className = "card card-body", children } = rest;
  // Without JavaScript the page contains the answer. With JavaScript the form receives it.
  const [written, formAction] = useActionState<FormAnswer, FormData>(action, NOTHING);
  const [answer, setAnswer] = useState<FormAnswer | null>(null);
  const state = answer ?? written;
  const { onSubmit, isPending, hasFailed } = useSubmission((form) => action(NOTHING, form), setAnswer);
  const refused = state.kind === "refused" ? state : null;
  const isOfField = fields.some(({ name }) => name === refused?.field);
  return (
    <form className={className} action={formAction} onSubmit={onSubmit} aria-label={label} noValidate>
      {hasFailed && <NoAnswer>{again}</NoAnswer>}
      {refused && !isOfField && (
        <Notice tone="danger" role="alert" on={refused}>
          {refused.message}
        </Notice>
      )}
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {fields.map((field) => (
        <TextField
          key={field.name}
          field={{ ...field, value: refused?.values[field.name] ?? field.value }}
          id={`${hidden.scope ?? "field"}-${field.name}`}
          error={refused?.field === field.name ? refused.message : null}
        />
      ))}
      {refused?.anyway !== undefined && <input type="hidden" name="anyway" value={refused.anyway} />}
      <ButtonRow>
        <SubmitButton className={tone} isPending={isPending} pending={pending}>
          {refused?.anyway === undefined ? submit : "Save anyway"}
        </SubmitButton>
        {children}
      </ButtonRow>
    </form>
  );
}
