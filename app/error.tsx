"use client";

import { FocusTarget } from "./ui/focus-target";
import { SiteHeader } from "./ui/site-header";

/** What went wrong is in the server's log, under the number that stands here. */
export default function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  const digest = error instanceof Error && "digest" in error ? String(error.digest) : null;
  return (
    <>
      <SiteHeader />
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
    </>
  );
}
