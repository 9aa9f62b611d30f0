"use client";

import { unstable_rethrow } from "next/navigation";
import { useRef, useState, useTransition } from "react";

export type Submission = {
  onSubmit: (event: React.FormEvent<HTMLFormElement>) => void;
  isPending: boolean;
  /** No answer came to the last attempt: the connection failed, or the console did. Nothing on the page was lost. */
  hasFailed: boolean;
};

/**
 * Sends a form with JavaScript, one submission at a time. A failed connection keeps the page and the typed text; React
 * and Next by themselves would replace the whole page. The form's own `action` stays for browsers without JavaScript.
 * The button is never disabled, because a disabled button loses the focus.
 */
export function useSubmission<Answer>(
  send: (form: FormData) => Promise<Answer>,
  onAnswer: (answer: Answer) => void,
): Submission {
  const [isPending, startTransition] = useTransition();
  const [hasFailed, setHasFailed] = useState(false);
  const isSent = useRef(false);

  const onSubmit = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isSent.current) return;
    isSent.current = true;
    const { submitter } = event.nativeEvent as SubmitEvent;
    // The pressed button's own name and value belong to the form data.
    const form = new FormData(event.currentTarget, submitter);
    startTransition(async () => {
      try {
        const answer = await send(form);
        startTransition(() => {
          setHasFailed(false);
          onAnswer(answer);
        });
      } catch (error) {
        // Next throws redirects as errors, and it must handle them itself.
        unstable_rethrow(error);
        startTransition(() => setHasFailed(true));
      } finally {
        isSent.current = false;
      }
    });
  };
  return { onSubmit, isPending, hasFailed };
}
