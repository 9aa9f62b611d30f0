"use client";

import { createContext, useContext, useEffect, useState } from "react";
import { flushSync } from "react-dom";

type ShownOnce = {
  /** The result was shown and forgotten, so the values that the page was loaded with are stale. */
  isReset: boolean;
  /** Forgets the result and shows the form again. */
  reset: () => void;
};

const Context = createContext<ShownOnce>({ isReset: false, reset: () => {} });

/**
 * Makes a form that shows its result in its place, and resets in between. Browsers may keep a page in memory and show it
 * again on Back, and then it must not contain a token or key. The form never shows itself beside its result: it submits
 * its last answer, and would send the key back.
 */
export function shownOnce<Props extends object>(Form: React.ComponentType<Props>): React.ComponentType<Props> {
  return (props) => (
    <ShownOnce>
      <Form {...props} />
    </ShownOnce>
  );
}

function ShownOnce({ children }: { children: React.ReactNode }) {
  const [resets, setResets] = useState(0);
  const reset = () => setResets((before) => before + 1);
  useEffect(() => {
    const forget = () => flushSync(() => setResets((before) => before + 1));
    window.addEventListener("pagehide", forget);
    return () => window.removeEventListener("pagehide", forget);
  }, []);
  return (
    <Context key={resets} value={{ isReset: resets > 0, reset }}>
      {children}
    </Context>
  );
}

/** For the form and the result that `shownOnce` made. */
export function useShownOnce(): ShownOnce {
  return useContext(Context);
}
