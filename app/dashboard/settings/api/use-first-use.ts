"use client";

import { useEffect, useState } from "react";
import { TOKEN_PAGE } from "@/app/paths";
import { MINUTE, SECOND } from "@/lib/time";
import type { FirstUse } from "./first-use/route";

const ASK_EVERY = 3 * SECOND;
const ASK_FOR = 10 * MINUTE;
const ANSWER_WITHIN = 10 * SECOND;

/**
 * The first request with a new token, as soon as there was one. Asked every few seconds while the page is looked at;
 * whatever goes wrong with that is tried again and never touches the page, which holds the only copy of the token.
 */
export function useFirstUse(tokenId: number): FirstUse {
  const [firstUse, setFirstUse] = useState<FirstUse>(null);
  useEffect(() => {
    const stop = new AbortController();
    const end = Date.now() + ASK_FOR;
    let timer: ReturnType<typeof setTimeout>;
    const ask = async () => {
      const answer = document.visibilityState === "visible" ? await fetchFirstUse(tokenId, stop.signal) : null;
      if (stop.signal.aborted) return;
      if (answer) setFirstUse(answer);
      else if (Date.now() < end) timer = setTimeout(ask, ASK_EVERY);
    };
    timer = setTimeout(ask, ASK_EVERY);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [tokenId]);
  return firstUse;
}

/** Null as well when there is no answer, or not the one that was asked for. */
async function fetchFirstUse(tokenId: number, stop: AbortSignal): Promise<FirstUse> {
  try {
    const response = await fetch(`${TOKEN_PAGE}/first-use?id=${tokenId}`, {
      signal: AbortSignal.any([stop, AbortSignal.timeout(ANSWER_WITHIN)]),
    });
    return response.ok ? ((await response.json()) as FirstUse) : null;
  } catch {
    return null;
  }
}
