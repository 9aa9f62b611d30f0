"use client";

import { Fragment, useEffect, useState } from "react";
import { flushSync } from "react-dom";

export type Round = { isLater: boolean; onDone: () => void };

/**
 * A form, and after it what it made: each round begins with nothing known. A browser may keep a page as it was left, to
 * show it again on Back; a key must not be on it then.
 */
export function Rounds({ children }: { children: (round: Round) => React.ReactNode }) {
  const [round, setRound] = useState(0);
  useEffect(() => {
    const forget = () => flushSync(() => setRound((before) => before + 1));
    window.addEventListener("pagehide", forget);
    return () => window.removeEventListener("pagehide", forget);
  }, []);
  return (
    <Fragment key={round}>{children({ isLater: round > 0, onDone: () => setRound((before) => before + 1) })}</Fragment>
  );
}
