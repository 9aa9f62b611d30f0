import { scaleUtc } from "d3-scale";
import { clockText, dayText, monthText } from "@/lib/format/relative-time";
import { DAY } from "@/lib/format/time";
import { instantOf, wallClock, zoneOffset } from "@/lib/format/time-zone";

/** What is longer has labels of months: it has no ticks but at the first of months. */
const LONGEST_OF_DAYS = 80 * DAY;
/** More labels have no room beside each other. */
const MOST_TICKS = 10;

/** A moment of a time axis. `share` is how far along the axis it lies, 0 to 1. */
export type TimeTick = { at: number; share: number; label: string; isMidnight: boolean };

/**
 * Moments within `[from, to]` (epoch ms) that are round on the clocks of a zone, ten at the most. At midnight the label is
 * the date, in a long time the month. All charts of a page share them: to ask the clocks of a zone takes long.
 */
export function timeTicks(from: number, to: number, zone: string): TimeTick[] {
  const times = roundTimes(from, to, zone, 5);
  return (times.length > MOST_TICKS ? roundTimes(from, to, zone, 4) : times).map((at) => {
    const isMidnight = at === startOfDay(at, zone);
    const text = to - from > LONGEST_OF_DAYS ? monthText : isMidnight ? dayText : clockText;
    return { at, share: (at - from) / (to - from), label: text(new Date(at), zone), isMidnight };
  });
}

/**
 * Times within `[from, to]` (epoch ms) that are round on the clocks of a zone, in order, about so many. Instead of a time that
 * the clocks skip there is the next that they show.
 */
export function roundTimes(from: number, to: number, zone: string, count: number): number[] {
  const shown = [from, to].map((at) => at + zoneOffset(at, zone));
  const times = scaleUtc()
    .domain(shown)
    .ticks(count)
    .map((tick) => instantOf(wallClock(tick.getTime(), "UTC"), zone));
  // Within an hour that the clocks show twice, the end may show less than the beginning.
  return [...new Set(times)].filter((at) => at >= from && at <= to).sort((a, b) => a - b);
}

function startOfDay(at: number, zone: string): number {
  return instantOf({ ...wallClock(at, zone), hour: 0, minute: 0, second: 0 }, zone);
}
