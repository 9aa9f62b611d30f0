"use client";

import { ActionForm } from "@/app/ui/action-form";
import { Link } from "@/app/ui/link";
import { type FormAnswer as Form, useFormAnswer } from "@/app/ui/use-form-answer";
import type { FormAnswer } from "./form-answer";

export type ButtonFormProps = {
  action: (before: unknown, form: FormData) => Promise<FormAnswer>;
  /** What the form does, for screen readers. */
  label: string;
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

/** A form that is a button, in no card of its own, and why nothing came of it. One with fields is a `FieldsForm`. */
export function ButtonForm({ action, ...rest }: ButtonFormProps) {
  const form = useFormAnswer(action);
  const bare = rest.cancel === undefined && { className: "" };
  return (
    <FormOfButton {...bare} {...rest} form={form} refusal={form.answer.kind === "refused" && form.answer.message} />
  );
}

type Props = Omit<ButtonFormProps, "action"> & {
  form: Form<FormAnswer | { kind: "empty" }>;
  refusal: string | false | undefined;
  fields?: React.ReactNode;
  done?: React.ReactNode;
};

/** The form of a `ButtonForm`, with or without fields above its button. */
export function FormOfButton({ submit, about, pending, cancel, fields, children, ...rest }: Props) {
  const words = (
    <>
      {submit}
      {about && <span className="visually-hidden">{about}</span>}
    </>
  );
  return (
    <ActionForm
      {...(cancel !== undefined && { className: "card card-body grave", tone: "button danger" })}
      {...rest}
      noValidate
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
      {fields}
    </ActionForm>
  );
}
