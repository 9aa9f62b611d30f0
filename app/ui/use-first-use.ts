"use client";

import { useEffect, useState } from "react";
import { HOUR, SECOND } from "@/lib/time";

const ASK_EVERY = 3 * SECOND;
const ASK_FOR = HOUR;
const ANSWER_WITHIN = 10 * SECOND;

/** The first use of a token or a server key, in epoch milliseconds. `now` is the time of the answer. */
export type FirstUse = { at: number; ip: string | null; now: number };

type Watch = {
  /** Null as long as there was none. */
  firstUse: FirstUse | null;
  /** There was none for an hour, and the page no longer asks. */
  isOver: boolean;
  /** The last question got no answer. */
  isCutOff: boolean;
};

/**
 * Asks `path` every few seconds for the first use of what a page has just shown, while the page is looked at. A failure
 * is tried again and never touches the page, which holds the only copy of a token or key.
 */
export function useFirstUse(path: string): Watch {
  const [watch, setWatch] = useState<Watch>({ firstUse: null, isOver: false, isCutOff: false });
  useEffect(() => {
    const stop = new AbortController();
    const end = Date.now() + ASK_FOR;
    let timer: ReturnType<typeof setTimeout>;
    const ask = async () => {
      const answer = document.visibilityState === "visible" ? await fetchFirstUse(path, stop.signal) : null;
      if (stop.signal.aborted) return;
      const isOver = !(typeof answer === "object" && answer) && Date.now() >= end;
      setWatch({ firstUse: answer === "none" ? null : answer, isOver, isCutOff: answer === "none" });
      if ((answer === null || answer === "none") && !isOver) timer = setTimeout(ask, ASK_EVERY);
    };
    timer = setTimeout(ask, ASK_EVERY);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [path]);
  return watch;
}

/** "none" when no answer came, or not the one that was asked for. */
async function fetchFirstUse(path: string, stop: AbortSignal): Promise<FirstUse | null | "none"> {
  try {
    const response = await fetch(path, { signal: AbortSignal.any([stop, AbortSignal.timeout(ANSWER_WITHIN)]) });
    return response.ok ? ((await response.json()) as FirstUse | null) : "none";
  } catch {
    return "none";
  }
}
