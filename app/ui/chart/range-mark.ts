"use client";

import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { instantParam, MINUTE, SECOND } from "@/lib/format/time";
import type { TimeRange } from "@/lib/format/time-range";
import { isConsoleReady } from "../is-console-ready";

/** A console that says nothing for this long is away, and the page stays. */
const PATIENCE = 5 * SECOND;
/** A pointer that moved less (pixels) pressed, and did not drag. */
const LEAST_DRAG = 6;

/** A time that is being chosen, from where it began to where the pointer or the arrow keys are, in epoch milliseconds. */
type RangeMark = { at: number; end: number; isDragged: boolean };

/** Chooses a time in the chart of `[from, to]` and shows it, by the URL that the form of the page would lead to. */
export function useRangeMark({ from, to }: TimeRange) {
  const router = useRouter();
  const [mark, setMark] = useState<RangeMark | null>(null);
  const [, startTransition] = useTransition();

  async function show(one: number, other: number): Promise<void> {
    const isReady = await isConsoleReady(PATIENCE);
    startTransition(() => {
      if (isReady) router.push(urlOf({ from: Math.min(one, other), to: Math.max(one, other) }), { scroll: false });
      // Until the page is there, what was chosen can be seen.
      setMark(null);
    });
  }

  /** The time under the pointer. */
  const timeAt = ({ clientX, currentTarget }: React.PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(to, Math.max(from, from + ((clientX - left) / width) * (to - from)));
  };

  return {
    ...{ mark, setMark, timeAt, show },
    /** A finger shows values and scrolls the page. */
    begin(event: React.PointerEvent): void {
      if (event.pointerType === "touch" || event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const at = timeAt(event);
      setMark({ at, end: at, isDragged: true });
    },
    drag(event: React.PointerEvent): void {
      if (mark?.isDragged && event.buttons !== 0) setMark({ ...mark, end: timeAt(event) });
    },
    end(event: React.PointerEvent): void {
      if (!mark?.isDragged) return;
      const dragged = (Math.abs(timeAt(event) - mark.at) / (to - from)) * event.currentTarget.clientWidth;
      if (dragged < LEAST_DRAG) setMark(null);
      else show(mark.at, timeAt(event));
    },
  };
}

/** The page that is open, at another time: whole minutes, and none that is to come. */
function urlOf({ from, to }: TimeRange): string {
  const url = new URL(window.location.href);
  for (const name of ["range", "from", "to"]) url.searchParams.delete(name);
  url.searchParams.set("from", instantParam(Math.floor(from / MINUTE) * MINUTE));
  url.searchParams.set("to", instantParam(Math.ceil(Math.min(to, Date.now()) / MINUTE) * MINUTE));
  return `${url.pathname}${url.search}`;
}
