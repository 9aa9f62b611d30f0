import { expect, test } from "vitest";
import { checkTokenExpiry, dayOf } from "./expiry";
import { expiryOfReplacement } from "./replacement";

const now = new Date("2026-11-20T12:00:00Z");
const UTC = { now, zone: "UTC" };

test.each([
  ["2026-11-20", "Europe/Berlin", "2026-11-20T22:59:59Z"],
  ["2027-03-28", "Europe/Berlin", "2027-03-28T21:59:59Z"],
  ["2026-11-20", "Pacific/Marquesas", "2026-11-21T09:29:59Z"],
  ["2026-11-21", "Pacific/Kiritimati", "2026-11-21T09:59:59Z"],
])("the end of %s is that of the day in %s", (date, zone, end) => {
  expect(checkTokenExpiry("date", date, { now, zone })).toEqual({ kind: "valid", expiresAt: new Date(end) });
});

test("no token ends after the last instant with a year of four digits", () => {
  const [end, zone] = [new Date("9999-12-31T23:59:59Z"), "America/New_York"];
  expect(checkTokenExpiry("date", "9999-12-31", { now, zone })).toEqual({ kind: "valid", expiresAt: end });
  expect(dayOf(end, zone)).toBe("9999-12-31");
  expect(expiryOfReplacement({ createdAt: new Date(0), expiresAt: end }, now)).toEqual(end);
});

test("the first and the last day of a token are those of the zone", () => {
  expect([dayOf(now, "UTC"), dayOf(now, "Pacific/Kiritimati")]).toEqual(["2026-11-20", "2026-11-21"]);
  expect(checkTokenExpiry("date", "2026-11-20", { now, zone: "Pacific/Kiritimati" })).toMatchObject({ field: "date" });
});

test.each([
  ["", "", "expiry"],
  ["8", "", "expiry"],
  ["constructor", "", "expiry"],
  ["date", "", "date"],
  ["date", "24.12.2026", "date"],
  ["date", "2026-02-30", "date"],
  ["date", "2026-11-19", "date"],
])("choice %j with date %j is refused, and the field at fault is %s", (choice, date, field) => {
  expect(checkTokenExpiry(choice, date, UTC)).toMatchObject({ kind: "invalid", field });
});
