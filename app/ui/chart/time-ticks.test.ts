import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { wallClock } from "@/lib/format/time-zone";
import { timeTicks } from "./time-ticks";

const NOON = Date.UTC(2026, 10, 20, 12);
const labels = (from: string, to: string) =>
  timeTicks(Date.parse(from), Date.parse(to), "Europe/Berlin")
    .map(({ label }) => label)
    .join(", ");

test("ticks are round on the zone's clocks, within the axis, at most ten", () => {
  for (const reach of [HOUR, DAY, 7 * DAY, 30 * DAY]) {
    for (const zone of ["UTC", "Asia/Kathmandu", "Pacific/Marquesas"]) {
      const [from, to] = [NOON - reach + MINUTE, NOON + MINUTE];
      const ticks = timeTicks(from, to, zone);
      expect(ticks.length).toBeGreaterThanOrEqual(4);
      expect(ticks.length).toBeLessThanOrEqual(10);
      for (const { at, share, isMidnight } of ticks) {
        const { hour, minute, second } = wallClock(at, zone);
        expect(second).toBe(0);
        expect(minute % 5).toBe(0);
        expect(isMidnight).toBe(hour === 0 && minute === 0);
        if (reach > DAY) expect(isMidnight).toBe(true);
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1);
        expect(from + share * reach).toBeCloseTo(at, 3);
      }
    }
  }
});

test("any length from five minutes to ten years has ticks, ten at most", () => {
  for (let reach = 5 * MINUTE; reach < 3650 * DAY; reach *= 1.3) {
    const ticks = timeTicks(NOON - reach, NOON, "Europe/Berlin");
    expect(ticks.length, String(reach)).toBeGreaterThanOrEqual(1);
    expect(ticks.length, String(reach)).toBeLessThanOrEqual(10);
  }
  expect(labels("2025-10-19T12:00Z", "2026-11-23T12:00Z")).toBe("Jan 2026, Apr 2026, Jul 2026, Oct 2026");
});

test("a change of summer time neither drops nor repeats a day", () => {
  const spring = "26 Mar, 27 Mar, 28 Mar, 29 Mar, 30 Mar, 31 Mar, 1 Apr";
  expect(labels("2026-03-25T12:00Z", "2026-04-01T12:00Z")).toBe(spring);
  const autumn = "23 Oct, 24 Oct, 25 Oct, 26 Oct, 27 Oct, 28 Oct, 29 Oct";
  expect(labels("2026-10-22T12:00Z", "2026-10-29T12:00Z")).toBe(autumn);
});

test("midnight bears the date, and hours skipped by the clocks are not shown", () => {
  expect(labels("2026-03-28T20:00Z", "2026-03-29T20:00Z")).toBe("29 Mar, 06:00, 12:00, 18:00");
  const skipping = "01:00, 03:00, 04:00, 05:00, 06:00, 07:00, 08:00";
  expect(labels("2026-03-29T00:00Z", "2026-03-29T06:59Z")).toBe(skipping);
});
