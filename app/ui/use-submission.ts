"use client";

import { unstable_rethrow } from "next/navigation";
import { useRef, useState, useTransition } from "react";
import { type Failure, failureOf } from "./refusal";

export type Submission = {
  onSubmit: (event: React.FormEvent<HTMLFormElement>) => void;
  isPending: boolean;
  /** The last attempt got a refusal, or null: no answer. Undefined: it got its answer. Nothing on the page was lost. */
  failure: Failure | undefined;
};

/**
 * Sends a form with JavaScript, one submission at a time. What fails keeps the page and the typed text; React
 * and Next by themselves would replace the whole page. The form's own `action` stays for browsers without JavaScript.
 * The button is never disabled, because a disabled button loses the focus.
 */
export function useSubmission<Answer>(
  send: (form: FormData) => Promise<Answer>,
  onAnswer: (answer: Answer, form: HTMLFormElement) => void,
): Submission {
  const [isPending, startTransition] = useTransition();
  const [failure, setFailure] = useState<Failure>();
  const isSent = useRef(false);

  const onSubmit = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isSent.current) return;
    isSent.current = true;
    const { submitter } = event.nativeEvent as SubmitEvent;
    const element = event.currentTarget;
    // The pressed button's own name and value belong to the form data.
    const form = new FormData(element, submitter);
    startTransition(async () => {
      try {
        const answer = await send(form);
        startTransition(() => {
          setFailure(undefined);
          onAnswer(answer, element);
        });
      } catch (error) {
        // Next throws redirects as errors, and it must handle them itself.
        unstable_rethrow(error);
        startTransition(() => setFailure(failureOf(error)));
      } finally {
        isSent.current = false;
      }
    });
  };
  return { onSubmit, isPending, failure };
}
