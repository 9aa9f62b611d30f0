import { expect, test } from "vitest";
import { DAY, HOUR } from "@/lib/format/time";
import { rollUpLag } from "./retention";

test("the lag of roll-ups is what the oldest stored day has outlived of its time, and 0 when nothing has", () => {
  const today = Date.UTC(2026, 10, 22);
  const now = today + 5 * HOUR;
  expect(rollUpLag([today - 31 * DAY, today], now, 31)).toBe(0);
  expect(rollUpLag([today - 33 * DAY, today - 32 * DAY, today], now, 31)).toBe(2 * DAY);
  expect(rollUpLag([], now, 31)).toBe(0);
});
