import { clockText, dayText, monthText } from "@/lib/format/relative-time";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { instantOf, wallClock } from "@/lib/format/time-zone";

/** Distances that people count time in, in milliseconds; those below a day divide it. */
const STEPS = [
  MINUTE,
  2 * MINUTE,
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
/** What is too long for ticks at days has them at the first of every so many months of about so many days. */
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120];
const MONTH = 30 * DAY;

/** A moment of a time axis. `share` is how far along the axis it lies, 0 to 1. */
export type TimeTick = { at: number; share: number; label: string; isMidnight: boolean };

/**
 * Moments within `[from, to]` (epoch ms) that are round on the clocks of a zone, seven or eight at the most. At midnight
 * the label is the date, at the first of every few months the month. A time that the clocks skip is absent. All charts of a page
 * share them: to ask the clocks of a zone takes long.
 */
export function timeTicks(from: number, to: number, zone: string): TimeTick[] {
  const step = STEPS.find((length) => (to - from) / length <= MOST_TICKS);
  const moments = step ? roundMoments(from, to, step, zone) : firstsOfMonths(from, to, zone);
  return moments.map((at) => {
    const isMidnight = !step || step >= DAY || at === startOfDay(at, zone);
    const text = step ? (isMidnight ? dayText : clockText) : monthText;
    return { at, share: (at - from) / (to - from), label: text(new Date(at), zone), isMidnight };
  });
}

function firstsOfMonths(from: number, to: number, zone: string): number[] {
  const every = MONTHS.find((months) => (to - from) / (months * MONTH) <= MOST_TICKS) ?? 600;
  const { year, month } = wallClock(from, zone);
  const moments: number[] = [];
  for (let number = Math.ceil((12 * year + month) / every) * every; ; number += every) {
    const first = { year: Math.floor(number / 12), month: (number % 12) + 1, day: 1, hour: 0, minute: 0, second: 0 };
    const at = instantOf(first, zone);
    if (at > to) return moments;
    if (at >= from) moments.push(at);
  }
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
