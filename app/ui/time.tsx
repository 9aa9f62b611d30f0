"use client";

import { useEffect, useState } from "react";
import { dateText, instantText, relativeTime, untilText } from "@/lib/format/relative-time";
import { SECOND } from "@/lib/format/time";
import { useTimeZone } from "./signed-in";

const MOVES_ON_EVERY = 10 * SECOND;

/**
 * Shows "3 minutes ago", with the exact instant for machines and as a tooltip. It updates itself by the server's clock:
 * `now` is when the server rendered the page.
 */
export function Time({ at, now }: { at: Date; now: Date }) {
  const elapsed = useElapsedSince(now);
  const zone = useTimeZone();
  return (
    <time dateTime={at.toISOString()} title={instantText(at, zone)}>
      {relativeTime(at, new Date(now.getTime() + elapsed))}
    </time>
  );
}

/** Shows "20 Nov 2026", with the exact instant as a tooltip. */
export function DateOf({ at }: { at: Date }) {
  const zone = useTimeZone();
  return (
    <time dateTime={at.toISOString()} title={instantText(at, zone)}>
      {dateText(at, zone)}
    </time>
  );
}

/** Shows "in 5 days", counted in days of the calendar. */
export function Until({ at, now }: { at: Date; now: Date }) {
  return untilText(at, now, useTimeZone());
}

/** Milliseconds since the page got this `now`. */
function useElapsedSince(now: Date): number {
  const [elapsed, setElapsed] = useState({ of: now.getTime(), ms: 0 });
  const of = now.getTime();
  useEffect(() => {
    const start = Date.now();
    const timer = setInterval(() => setElapsed({ of, ms: Date.now() - start }), MOVES_ON_EVERY);
    return () => clearInterval(timer);
  }, [of]);
  return elapsed.of === of ? elapsed.ms : 0;
}
