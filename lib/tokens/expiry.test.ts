import { expect, test } from "vitest";
import { InvalidInputError } from "@/lib/failures";
import { parseTokenExpiry } from "./expiry";

const now = new Date("2026-11-20T12:00:00Z");

test("a token expires never, after some days, or at the end of a day in UTC", () => {
  expect(parseTokenExpiry("none", "", now)).toBeNull();
  expect(parseTokenExpiry("30", "", now)).toEqual(new Date("2026-12-20T12:00:00Z"));
  expect(parseTokenExpiry("date", "2026-11-20", now)).toEqual(new Date("2026-11-20T23:59:59Z"));
  expect(parseTokenExpiry("date", "2028-02-29", now)).toEqual(new Date("2028-02-29T23:59:59Z"));
});

test("a date counts only when it was chosen", () => {
  expect(parseTokenExpiry("none", "2026-12-24", now)).toBeNull();
});

test.each([
  ["", ""],
  ["8", ""],
  ["constructor", ""],
  ["date", ""],
  ["date", "24.12.2026"],
  ["date", "2026-02-30"],
  ["date", "2026-11-19"],
])("choice %j with the date %j is refused", (choice, date) => {
  expect(() => parseTokenExpiry(choice, date, now)).toThrow(InvalidInputError);
});
