import { expect, test } from "vitest";
import { HOUR, MINUTE } from "./time";
import { findZone, instantOf, wallClock, zoneOffset, zoneOrUtc } from "./time-zone";

const BERLIN = "Europe/Berlin";
const clock = (month: number, day: number, hour: number, minute = 0) => ({
  year: 2026,
  month,
  day,
  hour,
  minute,
  second: 0,
});

test("a zone's clocks are read and set on both sides of summer time", () => {
  for (const [at, month, day, hour] of [
    ["2026-03-28T23:00:00Z", 3, 29, 0],
    ["2026-03-29T00:59:59Z", 3, 29, 1],
    ["2026-03-29T01:00:00Z", 3, 29, 3],
    ["2026-10-25T00:30:00Z", 10, 25, 2],
    ["2026-10-25T01:30:00Z", 10, 25, 2],
  ] as const) {
    expect(wallClock(Date.parse(at), BERLIN)).toMatchObject({ year: 2026, month, day, hour });
  }
  expect(new Date(instantOf(clock(3, 29, 0), BERLIN)).toISOString()).toBe("2026-03-28T23:00:00.000Z");
  expect(new Date(instantOf(clock(3, 30, 0), BERLIN)).toISOString()).toBe("2026-03-29T22:00:00.000Z");
  // Half past two is shown twice, and was never shown.
  expect(new Date(instantOf(clock(10, 25, 2, 30), BERLIN)).toISOString()).toBe("2026-10-25T00:30:00.000Z");
  expect(new Date(instantOf(clock(3, 29, 2, 30), BERLIN)).toISOString()).toBe("2026-03-29T01:30:00.000Z");
});

test("offsets are those of the moment, to the minute", () => {
  const at = Date.parse("2026-11-22T12:00:00.999Z");
  expect(zoneOffset(at, "UTC")).toBe(0);
  expect(zoneOffset(at, "Asia/Kathmandu")).toBe(5 * HOUR + 45 * MINUTE);
  expect(zoneOffset(at, "America/St_Johns")).toBe(-3.5 * HOUR);
});

test("only the name of a zone is a zone, in any case of letters", () => {
  expect(["europe/berlin", "UTC", "utc"].map(findZone)).toEqual(["Europe/Berlin", "UTC", "UTC"]);
  expect(findZone("America/Argentina/Buenos_Aires")).toBe("America/Buenos_Aires");
  for (const name of ["", "+01:00", "Europe/Atlantis", "x".repeat(70), "Europe/Berlin'", " UTC", "\u0000"]) {
    expect(findZone(name), name).toBeNull();
    expect(zoneOrUtc(name)).toBe("UTC");
  }
});
