"use client";

import { useEffect, useState } from "react";
import { serverPath } from "@/app/paths";
import { HOUR, SECOND } from "@/lib/time";
import type { FirstCheckIn } from "./[id]/first-check-in/route";

const ASK_EVERY = 3 * SECOND;
const ASK_FOR = HOUR;
const ANSWER_WITHIN = 10 * SECOND;

/**
 * The first check-in with the server's current key, as soon as there was one. Asked every few seconds while the page is
 * looked at; whatever goes wrong with that is tried again and never touches the page, which holds the only copy of the
 * key.
 */
export function useFirstCheckIn(serverId: number): FirstCheckIn {
  const [first, setFirst] = useState<FirstCheckIn>(null);
  useEffect(() => {
    const stop = new AbortController();
    const end = Date.now() + ASK_FOR;
    let timer: ReturnType<typeof setTimeout>;
    const ask = async () => {
      const answer = document.visibilityState === "visible" ? await fetchFirstCheckIn(serverId, stop.signal) : null;
      if (stop.signal.aborted) return;
      if (answer) setFirst(answer);
      else if (Date.now() < end) timer = setTimeout(ask, ASK_EVERY);
    };
    timer = setTimeout(ask, ASK_EVERY);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [serverId]);
  return first;
}

/** Null as well when there is no answer, or not the one that was asked for. */
async function fetchFirstCheckIn(serverId: number, stop: AbortSignal): Promise<FirstCheckIn> {
  try {
    const response = await fetch(`${serverPath(serverId)}/first-check-in`, {
      signal: AbortSignal.any([stop, AbortSignal.timeout(ANSWER_WITHIN)]),
    });
    return response.ok ? ((await response.json()) as FirstCheckIn) : null;
  } catch {
    return null;
  }
}
