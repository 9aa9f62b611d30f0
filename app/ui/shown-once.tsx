"use client";

import { createContext, useContext, useEffect, useState } from "react";
import { flushSync } from "react-dom";

type ShownOnce = {
  /** Nothing that the page came with is valid any more: it was shown, and is over. */
  isReset: boolean;
  /** Forgets what is shown and begins again with the form. */
  reset: () => void;
};

const Context = createContext<ShownOnce>({ isReset: false, reset: () => {} });

/**
 * Shows a form, then its result, and forgets both in between. A browser may keep a page as it was left, to show it
 * again on Back; a token or key must not be on it then.
 */
export function ShownOnce({ children }: { children: React.ReactNode }) {
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

/** For the form and the result inside of `ShownOnce`. */
export function useShownOnce(): ShownOnce {
  return useContext(Context);
}
