"use client";

import Link from "next/link";
import { ActionForm } from "@/app/ui/action-form";
import { TextField, type TextFieldSpec } from "@/app/ui/text-field";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import type { FormAnswer } from "./form-answer";

type Props = {
  action: (answer: FormAnswer, form: FormData) => Promise<FormAnswer>;
  /** What the form does, for screen readers. */
  label: string;
  /** Sent along unseen. */
  hidden: Readonly<Record<string, string | number>>;
  fields?: readonly TextFieldSpec[];
  submit: string;
  /** What the button is about, for screen readers: with `submit` it is a whole. */
  about?: string;
  pending: string;
  /** Explains what a second submission does, when no answer came. */
  again: string;
  tone?: "button" | "button quiet" | "button quiet small" | "plain-button" | "button quiet wary";
  className?: string;
  /** Where a question that cannot be undone leads otherwise: its button is a dangerous one. */
  cancel?: string;
  /** Beside the button. */
  children?: React.ReactNode;
};

/** A form of game services, edge nodes or channels: its fields, its button, and why nothing came of it. */
export function ServiceForm({ action, fields = [], hidden, submit, about, pending, cancel, children, ...rest }: Props) {
  const form = useFormAnswer(action);
  const refused = form.answer.kind === "refused" ? form.answer : null;
  const anyway = refused?.anyway;
  const words = (
    <>
      {anyway === undefined ? submit : "Save anyway"}
      {about && <span className="visually-hidden">{about}</span>}
    </>
  );
  return (
    <ActionForm
      {...(cancel !== undefined && { className: "card card-body grave", tone: "button danger" })}
      {...rest}
      form={form}
      noValidate
      refusal={!fields.some(({ name }) => name === refused?.field) && refused?.message}
      hidden={{ ...hidden, ...(anyway !== undefined && { anyway }) }}
      submit={[words, pending]}
      beside={
        cancel === undefined ? (
          children
        ) : (
          <Link className="button quiet" href={cancel} prefetch={false}>
            Cancel
          </Link>
        )
      }
    >
      {fields.map((field) => (
        <TextField
          key={field.name}
          field={{ ...field, value: refused?.values[field.name] ?? field.value }}
          id={`${hidden.scope ?? "field"}-${field.name}`}
          error={refused?.field === field.name ? refused.message : null}
        />
      ))}
    </ActionForm>
  );
}
