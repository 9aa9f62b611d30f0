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
 * Shows a form, then its result, and resets in between. Browsers may keep a page in memory and show it again on Back, and
 * then it must not contain a token or key.
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
