"use client";

import { useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { ShownOnceContext } from "./shown-once-context";

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
    <ShownOnceContext key={resets} value={{ isReset: resets > 0, reset }}>
      {children}
    </ShownOnceContext>
  );
}
