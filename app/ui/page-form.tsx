"use client";

import { useSubmission } from "./use-submission";

type Props = {
  action: (form: FormData) => Promise<void>;
  label?: string;
  className?: string | undefined;
  children: React.ReactNode;
};

/** A form of a server action that answers with a page. Where no answer comes, the page stays and says so. */
export function PageForm({ action, label, className, children }: Props) {
  const { onSubmit, hasFailed } = useSubmission(action, () => {});
  return (
    <form className={className} action={action} onSubmit={onSubmit} aria-label={label}>
      {children}
      {hasFailed && <strong role="alert">No answer came: try again.</strong>}
    </form>
  );
}
