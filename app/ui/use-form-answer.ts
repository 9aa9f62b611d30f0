"use client";

import { useActionState, useState } from "react";
import { useShownOnce } from "./shown-once-context";
import { type Submission, useSubmission } from "./use-submission";

/** The answer before the form was sent. */
type Unsent = { kind: "empty" };
const UNSENT: Unsent = { kind: "empty" };

/** What a form needs: `formAction` sends it without JavaScript, `onSubmit` with it. */
export type FormAnswer<Answer> = Submission & {
  /** Why a field was refused, by its name; null: it was not. */
  errorOf: (field: string) => string | null;
  /** The server's last answer. */
  answer: Answer;
  formAction: (form: FormData) => void;
};

/**
 * The answer of a form's server action. Without JavaScript it comes with the page, otherwise to `onSubmit`. Its times are
 * numbers: where the form was sent before the scripts of its page ran, they get it as JSON, which has no dates.
 */
export function useFormAnswer<Answer extends { kind: string }>(
  action: (before: NoInfer<Answer> | Unsent, form: FormData) => Promise<Answer>,
  onAnswer?: (answer: Answer, form: HTMLFormElement) => void,
): FormAnswer<Answer | Unsent> {
  const { isReset } = useShownOnce();
  const [pageAnswer, formAction] = useActionState<Answer | Unsent, FormData>(action, UNSENT);
  const [scriptAnswer, setScriptAnswer] = useState<Answer | null>(null);
  const submission = useSubmission(
    (form) => action(UNSENT, form),
    (answer, form) => {
      onAnswer?.(answer, form);
      setScriptAnswer(answer);
    },
  );
  const answer: Answer | Unsent = scriptAnswer ?? (isReset ? UNSENT : pageAnswer);
  return { answer, errorOf: (field) => errorIn(answer, field), formAction, ...submission };
}

function errorIn(answer: { kind: string; field?: unknown; message?: unknown }, field: string): string | null {
  return answer.field === field && typeof answer.message === "string" ? answer.message : null;
}
