import { clockText, dayText } from "@/lib/relative-time";
import { DAY, HOUR, MINUTE } from "@/lib/time";
import { instantOf, wallClock } from "@/lib/time-zone";

/** Distances that people count time in, in milliseconds; those below a day divide it. */
const STEPS = [
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  4 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  5 * DAY,
  7 * DAY,
];
const MOST_TICKS = 7;

/** A moment of a time axis. `share` is how far along the axis it lies, 0 to 1. */
export type TimeTick = { at: number; share: number; label: string; isMidnight: boolean };

/**
 * Moments within `[from, to]` (epoch ms) that are round on the clocks of a zone, seven or eight at the most. At midnight
 * the label is the date. A time that the clocks skip is absent.
 */
export function timeTicks(from: number, to: number, zone: string): TimeTick[] {
  const step = STEPS.find((length) => (to - from) / length <= MOST_TICKS) ?? 7 * DAY;
  return roundMoments(from, to, step, zone).map((at) => {
    const isMidnight = step >= DAY || at === startOfDay(at, zone);
    const label = isMidnight ? dayText(new Date(at), zone) : clockText(new Date(at), zone);
    return { at, share: (at - from) / (to - from), label, isMidnight };
  });
}

function roundMoments(from: number, to: number, step: number, zone: string): number[] {
  const { year, month, day } = wallClock(from, zone);
  const firstDay = Date.UTC(year, month - 1, day) / DAY;
  const moments: number[] = [];
  for (let number = firstDay; ; number++) {
    const midnight = startOfCalendarDay(number, zone);
    if (midnight > to) return moments;
    const every = Math.max(1, step / DAY);
    if (number % every !== 0) continue;
    const within = step >= DAY ? [midnight] : clockTimes(number, step, zone);
    moments.push(...within.filter((at) => at >= from && at <= to));
  }
}

/** The moments of one day of the calendar at which its clocks show whole steps. */
function clockTimes(dayNumber: number, step: number, zone: string): number[] {
  const times = Array.from({ length: DAY / step }, (_, index) => dayNumber * DAY + index * step);
  return times.flatMap((shown) => {
    const clock = wallClock(shown, "UTC");
    const at = instantOf(clock, zone);
    const { hour, minute } = wallClock(at, zone);
    return hour === clock.hour && minute === clock.minute ? [at] : [];
  });
}

function startOfCalendarDay(dayNumber: number, zone: string): number {
  return instantOf(wallClock(dayNumber * DAY, "UTC"), zone);
}

function startOfDay(at: number, zone: string): number {
  return instantOf({ ...wallClock(at, zone), hour: 0, minute: 0, second: 0 }, zone);
}
