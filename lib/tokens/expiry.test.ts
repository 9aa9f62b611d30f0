import { expect, test } from "vitest";
import { DAY } from "@/lib/time";
import { checkTokenExpiry, endsSoon } from "./expiry";

const now = new Date("2026-11-20T12:00:00Z");

test.each([
  ["none", "", null],
  ["30", "", new Date("2026-12-20T12:00:00Z")],
  ["date", "2026-11-20", new Date("2026-11-20T23:59:59Z")],
  ["date", "2028-02-29", new Date("2028-02-29T23:59:59Z")],
])("a token expires never, after some days, or at the end of a day in UTC: %s %s", (choice, date, expiresAt) => {
  expect(checkTokenExpiry(choice, date, now)).toEqual({ kind: "valid", expiresAt });
});

test("a date counts only when it was chosen", () => {
  expect(checkTokenExpiry("none", "2026-12-24", now)).toEqual({ kind: "valid", expiresAt: null });
});

test.each([
  ["", "", "expiry"],
  ["8", "", "expiry"],
  ["constructor", "", "expiry"],
  ["date", "", "date"],
  ["date", "24.12.2026", "date"],
  ["date", "2026-02-30", "date"],
  ["date", "2026-11-19", "date"],
])("choice %j with the date %j is refused, and the field at fault is %s", (choice, date, field) => {
  expect(checkTokenExpiry(choice, date, now)).toMatchObject({ kind: "invalid", field });
});

test.each([
  ["for a year, six days before its end", 359, 6, true],
  ["for a year, eight days before its end", 357, 8, false],
  ["for seven days, just made", 0, 7, false],
  ["for seven days, on its last day", 6, 1, true],
  ["already over", 30, -1, false],
])("a token made %s: ends soon is %s", (_, livedDays, leftDays, expected) => {
  const token = {
    createdAt: new Date(now.getTime() - livedDays * DAY),
    expiresAt: new Date(now.getTime() + leftDays * DAY),
  };
  expect(endsSoon(token, now)).toBe(expected);
});
