"use client";

import { useEffect, useRef } from "react";
import { ButtonRow, SubmitButton } from "./button-row";
import { NoAnswer } from "./no-answer";
import { Notice } from "./notice";
import type { FormAnswer } from "./use-form-answer";

type Props = Pick<React.ComponentProps<"form">, "className" | "noValidate" | "onInput"> & {
  form: FormAnswer<{ kind: string }>;
  /** What the form does, for screen readers; or the id of the heading that says it. */
  label?: string;
  labelledBy?: string;
  /** Above what came of it. */
  title?: React.ReactNode;
  /** Said when no answer came, if a second submission does more than the first. */
  again?: string | undefined;
  /** What came of it, and why nothing did. Each takes the focus. */
  done?: React.ReactNode;
  doneTone?: "done" | "warning";
  refusal?: string | false | null | undefined;
  /** Sent along unseen. */
  hidden?: Readonly<Record<string, string | number>>;
  /** The words of the button, and those while an answer is awaited. Without them the button is among the children. */
  submit?: readonly [words: React.ReactNode, pending: string];
  tone?: string | undefined;
  /** Beside the button. */
  beside?: React.ReactNode;
  children?: React.ReactNode;
};

/** A form of a server action: what came of it, its fields and its button. A field that was refused has the focus. It works without JavaScript. */
export function ActionForm({ form, label, labelledBy, again, done, refusal, ...rest }: Props) {
  const {
    title,
    doneTone = "done",
    hidden = {},
    submit,
    tone,
    beside,
    children,
    className = "card card-body",
    ...attributes
  } = rest;
  const { answer, formAction, onSubmit, isPending, failure } = form;
  const element = useRef<HTMLFormElement>(null);
  // Without JavaScript the field has `autoFocus`.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another answer has come
  useEffect(() => element.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus(), [answer]);
  return (
    <form
      {...attributes}
      ref={element}
      className={className}
      action={formAction}
      onSubmit={onSubmit}
      aria-label={label}
      aria-labelledby={labelledBy}
    >
      {title}
      {failure !== undefined && <NoAnswer failure={failure}>{again}</NoAnswer>}
      {failure === undefined && done && (
        <Notice tone={doneTone} on={answer}>
          {done}
        </Notice>
      )}
      {failure === undefined && refusal && (
        <Notice tone="danger" on={answer}>
          {refusal}
        </Notice>
      )}
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
      {submit && (
        <ButtonRow>
          <SubmitButton className={tone} isPending={isPending} pending={submit[1]}>
            {submit[0]}
          </SubmitButton>
          {beside}
        </ButtonRow>
      )}
    </form>
  );
}
