"use client";

import { useEffect, useState } from "react";
import { HOUR, SECOND } from "@/lib/format/time";

const ASK_EVERY = 3 * SECOND;
const ASK_FOR = HOUR;
const ANSWER_WITHIN = 10 * SECOND;

/** The first use of a token or a server key, in epoch milliseconds. `now` is the time of the answer. */
export type FirstUse = { at: number; ip: string | null; now: number };

/** Null: no use so far. "cut-off": the last question got no answer. "over": the page stopped asking after an hour. */
type Watch = FirstUse | null | "cut-off" | "over";

/**
 * Polls `path` for the first use of a new token or key while the page is visible. It retries failures and never replaces
 * the page, because the page holds the only copy of the token or key.
 */
export function useFirstUse(path: string): Watch {
  const [watch, setWatch] = useState<Watch>(null);
  useEffect(() => {
    const stop = new AbortController();
    const end = Date.now() + ASK_FOR;
    let timer: ReturnType<typeof setTimeout>;
    const ask = async () => {
      const answer = document.visibilityState === "visible" ? await fetchFirstUse(path, stop.signal) : null;
      if (stop.signal.aborted) return;
      const isOpen = answer === null || answer === "cut-off";
      const isOver = isOpen && Date.now() >= end;
      setWatch(isOver ? "over" : answer);
      if (isOpen && !isOver) timer = setTimeout(ask, ASK_EVERY);
    };
    timer = setTimeout(ask, ASK_EVERY);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [path]);
  return watch;
}

/** Returns "cut-off" when no answer came, or an unusable one. */
async function fetchFirstUse(path: string, stop: AbortSignal): Promise<FirstUse | null | "cut-off"> {
  try {
    const response = await fetch(path, { signal: AbortSignal.any([stop, AbortSignal.timeout(ANSWER_WITHIN)]) });
    return response.ok ? ((await response.json()) as FirstUse | null) : "cut-off";
  } catch {
    return "cut-off";
  }
}
