"use client";

import { ActionForm } from "@/app/ui/action-form";
import { Link } from "@/app/ui/link";
import { StrongName } from "@/app/ui/name";
import { TextField, type TextFieldSpec } from "@/app/ui/text-field";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import type { FormAnswer } from "./form-answer";

type Props = {
  action: (before: unknown, form: FormData) => Promise<FormAnswer>;
  /** What the form does, for screen readers. */
  label: string;
  /** Without any the form is a button, in no card of its own. */
  fields?: readonly TextFieldSpec[];
  /** Sent along unseen. */
  hidden: Readonly<Record<string, string | number>>;
  submit: string;
  /** What the button is about, for screen readers: with `submit` it is a whole. */
  about?: React.ReactNode;
  pending: string;
  /** As of an `ActionForm`. */
  again?: string;
  tone?: "button" | "button quiet" | "button quiet small" | "plain-button" | "button quiet wary";
  className?: string;
  /** Where a question that cannot be undone leads otherwise: its button is a dangerous one. */
  cancel?: string;
  /** Beside the button. */
  children?: React.ReactNode;
};

/** A form of text fields, or of none, and a button; and why nothing came of it. */
export function FieldsForm({ action, fields = [], hidden, submit, about, pending, cancel, children, ...rest }: Props) {
  const form = useFormAnswer(action);
  const { answer } = form;
  const refused = answer.kind === "refused" ? answer : null;
  const anyway = refused?.anyway;
  const words = (
    <>
      {anyway ? "Save anyway" : submit}
      {about && <span className="visually-hidden">{about}</span>}
    </>
  );
  return (
    <ActionForm
      {...(fields.length === 0 && { className: "" })}
      {...(cancel !== undefined && { className: "card card-body grave", tone: "button danger" })}
      {...rest}
      form={form}
      noValidate
      done={
        answer.kind === "done" && (
          <>
            {answer.words}
            {answer.name && <StrongName>{answer.name}</StrongName>}
            {answer.end}
          </>
        )
      }
      refusal={!fields.some(({ name }) => name === refused?.field) && refused?.message}
      hidden={{ ...hidden, ...(anyway && { anyway }) }}
      submit={[words, pending]}
      beside={
        cancel === undefined ? (
          children
        ) : (
          <Link className="button quiet" href={cancel}>
            Cancel
          </Link>
        )
      }
    >
      {fields.map((field) => (
        <TextField
          key={field.name}
          {...field}
          value={refused?.values[field.name] ?? field.value}
          id={`${hidden.scope ?? "field"}-${field.name}`}
          error={form.errorOf(field.name)}
        />
      ))}
    </ActionForm>
  );
}
