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
 * Sends a form with JavaScript, one submission at a time, so that a failing connection leaves the page and what was
 * typed as they are; React and Next by themselves replace the whole page then. The form's own `action` stays for
 * browsers without JavaScript. The button stays focusable meanwhile, unlike a disabled one, which would drop the focus
 * to the top of the page.
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
    // The button that was pressed may say what is to be done.
    const form = new FormData(event.currentTarget, submitter);
    startTransition(async () => {
      try {
        const answer = await send(form);
        startTransition(() => {
          setHasFailed(false);
          onAnswer(answer);
        });
      } catch (error) {
        // A redirect of the action arrives as an error of the framework's own.
        unstable_rethrow(error);
        startTransition(() => setHasFailed(true));
      } finally {
        isSent.current = false;
      }
    });
  };
  return { onSubmit, isPending, hasFailed };
}
