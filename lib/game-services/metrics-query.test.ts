import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { estimateMetrics, INVALID_RANGE, INVALID_SINCE, isWindow, requireWindow } from "./metrics-query";

const NOW = Date.UTC(2026, 10, 23);
const windowOf = (text: string) => {
  const { range, after, until } = requireWindow(new URLSearchParams(text), NOW);
  return [range, NOW - after.getTime(), NOW - until.getTime()];
};

test("since only narrows the range, and a future one asks for nothing", () => {
  expect(windowOf("")).toEqual(["1h", HOUR, 0]);
  expect(windowOf(`since=${NOW - MINUTE}`)).toEqual(["1h", MINUTE, 0]);
  expect(windowOf(`range=24h&since=${NOW - 2 * HOUR}`)).toEqual(["24h", 2 * HOUR, 0]);
  expect(windowOf(`range=24h&since=${NOW - 2 * DAY}`)).toEqual(["24h", DAY, 0]);
  expect(windowOf("range=7d&since=0")).toEqual(["7d", 7 * DAY, 0]);
  expect(windowOf(`since=${NOW + DAY}`)).toEqual(["1h", -DAY, 0]);
  expect(windowOf("since=8640000000000000")[0]).toBe("1h");
});

test.each(["", "-1", "1e400", "1e3", "1.5", " 1", "+1", "0x1", "NaN", "8640000000000001", "99999999999999999", "１"])(
  "since=%j is no whole number of epoch milliseconds",
  (value) => {
    const query = new URLSearchParams({ since: value });
    expect(isWindow(query)).toBe(false);
    expect(() => requireWindow(query, NOW)).toThrow(INVALID_SINCE);
    expect(estimateMetrics(query)).toBe(0);
  },
);

test("a repeated parameter is refused, the range before since", () => {
  expect(() => windowOf("since=1&since=1")).toThrow(INVALID_SINCE);
  expect(() => windowOf("range=1h&range=1h&since=x")).toThrow(INVALID_RANGE);
});

test("the estimate of an answer follows the requested time, not the range's name", () => {
  const estimate = (text: string) => estimateMetrics(new URLSearchParams(text));
  expect(estimate("range=7d")).toBeGreaterThan(estimate("range=24h"));
  expect(estimate(`range=7d&since=${Date.now() - 2 * HOUR}`)).toBe(estimate("range=24h"));
  expect(estimate(`range=7d&since=${Date.now() - 10 * MINUTE}`)).toBe(0);
  expect(estimate(`range=7d&since=${Date.now() + DAY}`)).toBe(0);
});
