import { DAY, HOUR, MINUTE } from "@/lib/time";

/** Distances that people count time in, in milliseconds. */
const STEPS = [
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  5 * DAY,
  7 * DAY,
];
const MOST_TICKS = 7;

/** A moment of a time axis. `share` is how far along the axis it lies, 0 to 1. */
export type TimeTick = { at: number; share: number };

/**
 * Round moments within `[from, to]` (epoch ms), round on a clock that is `offset` milliseconds ahead of UTC, and
 * whether they are whole days.
 */
export function timeTicks(from: number, to: number, offset: number): { ticks: TimeTick[]; areDays: boolean } {
  const step = STEPS.find((length) => (to - from) / length <= MOST_TICKS) ?? 7 * DAY;
  const first = Math.ceil((from + offset) / step) * step - offset;
  const count = Math.max(0, Math.floor((to - first) / step) + 1);
  const ticks = Array.from({ length: count }, (_, index) => {
    const at = first + index * step;
    return { at, share: (at - from) / (to - from) };
  });
  return { ticks, areDays: step >= DAY };
}
