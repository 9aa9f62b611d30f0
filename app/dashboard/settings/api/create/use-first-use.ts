"use client";

import { useEffect, useState } from "react";
import { TOKEN_PAGE } from "@/app/paths";
import { MINUTE, SECOND } from "@/lib/time";
import type { FirstUse } from "../first-use/route";

const ASK_EVERY = 3 * SECOND;
const ASK_FOR = 10 * MINUTE;
const ANSWER_WITHIN = 10 * SECOND;

/** `isOver`: there was none for so long that nobody asks any more. */
type Watch = { firstUse: FirstUse; isOver: boolean };

/**
 * The first request with a new token, as soon as there was one. Asked every few seconds while the page is looked at;
 * whatever goes wrong with that is tried again and never touches the page, which holds the only copy of the token.
 */
export function useFirstUse(tokenId: number): Watch {
  const [watch, setWatch] = useState<Watch>({ firstUse: null, isOver: false });
  useEffect(() => {
    const stop = new AbortController();
    const end = Date.now() + ASK_FOR;
    let timer: ReturnType<typeof setTimeout>;
    const ask = async () => {
      const answer = document.visibilityState === "visible" ? await fetchFirstUse(tokenId, stop.signal) : null;
      if (stop.signal.aborted) return;
      if (answer) setWatch({ firstUse: answer, isOver: false });
      else if (Date.now() < end) timer = setTimeout(ask, ASK_EVERY);
      else setWatch({ firstUse: null, isOver: true });
    };
    timer = setTimeout(ask, ASK_EVERY);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [tokenId]);
  return watch;
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
