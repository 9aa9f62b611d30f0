"use client";

import { FailureWords } from "./no-answer";
import { useSubmission } from "./use-submission";

type Props = {
  action: (form: FormData) => Promise<void>;
  label?: string;
  className?: string | undefined;
  children: React.ReactNode;
};

/** A form of a server action that answers with a page. Where none comes, the page stays and says so. */
export function PageForm({ action, label, className, children }: Props) {
  const { onSubmit, failure } = useSubmission(action, () => {});
  return (
    <form className={className} action={action} onSubmit={onSubmit} aria-label={label}>
      {children}
      {failure === null && <strong role="alert">No answer came: try again.</strong>}
      {failure && (
        <div role="alert">
          <FailureWords failure={failure} />
        </div>
      )}
    </form>
  );
}
