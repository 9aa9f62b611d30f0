"use client";

import { useEffect } from "react";
import { FocusTarget } from "./focus-target";

/** What Next passes to an error page. */
export type FaultProps = { error: unknown; retry: () => void };

/** Says that a page failed. What went wrong is in the server's log, under the number that stands here. */
export function Fault({ error, retry }: FaultProps) {
  useEffect(() => {
    // A page that is named after what could not be read has no title.
    document.title ||= "Something went wrong · Console";
  }, []);
  const digest = error instanceof Error && "digest" in error ? String(error.digest) : null;
  return (
    <main id="main" className="centered">
      <FocusTarget as="h1">Something went wrong on our side</FocusTarget>
      <p className="soft">The console could not finish this. Try again in a moment.</p>
      <p>
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>
      </p>
      {digest && <p className="hint">For the operator: error {digest}</p>}
    </main>
  );
}
