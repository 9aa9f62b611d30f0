"use client";

import { useActionState, useState } from "react";
import { useShownOnce } from "./shown-once";
import { type Submission, useSubmission } from "./use-submission";

/** What a form needs: `formAction` sends it without JavaScript, `onSubmit` with it. */
export type FormAnswer<Answer> = Submission & {
  /** The server's last answer, or `unsent`. */
  answer: Answer;
  formAction: (form: FormData) => void;
};

/**
 * The answer of a form's server action. Without JavaScript it comes with the page, otherwise to `onSubmit`. `unsent` is
 * the answer before the form was sent.
 */
export function useFormAnswer<Answer>(
  action: (before: Answer, form: FormData) => Promise<Answer>,
  unsent: Awaited<Answer>,
  onAnswer?: (answer: Answer) => void,
): FormAnswer<Answer> {
  const { isReset } = useShownOnce();
  const [pageAnswer, formAction] = useActionState<Answer, FormData>(action, unsent);
  const [scriptAnswer, setScriptAnswer] = useState<Answer | null>(null);
  const submission = useSubmission(
    (form) => action(unsent, form),
    (answer) => {
      onAnswer?.(answer);
      setScriptAnswer(answer);
    },
  );
  return { answer: scriptAnswer ?? (isReset ? unsent : pageAnswer), formAction, ...submission };
}
