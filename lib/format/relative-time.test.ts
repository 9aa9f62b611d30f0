import { expect, test } from "vitest";
import { dateText, durationText, instantText, momentText, relativeTime, untilText, waitText } from "./relative-time";
import { DAY, HOUR, MINUTE, SECOND } from "./time";

const now = new Date("2026-11-20T12:00:00Z");

test.each([
  [0, "just now"],
  [-9 * SECOND, "just now"],
  [-10 * SECOND, "10 seconds ago"],
  [-119 * SECOND, "1 minute ago"],
  [-3 * MINUTE, "3 minutes ago"],
  [-47 * HOUR, "1 day ago"],
  [-89 * DAY, "2 months ago"],
  [-400 * DAY, "1 year ago"],
  [30 * DAY - SECOND, "in 30 days"],
  [90 * DAY, "in 3 months"],
])("%d ms from now is %s", (ms, text) => expect(relativeTime(new Date(now.getTime() + ms), now)).toBe(text));

test.each([
  ["2026-11-20T23:59:59Z", "today"],
  ["2026-11-21T00:00:00Z", "tomorrow"],
  ["2026-11-25T23:59:59Z", "in 5 days"],
  ["2026-11-26T00:00:00Z", "in 6 days"],
  ["2027-02-18T12:00:00Z", "in 3 months"],
  ["2027-11-20T12:00:00Z", "in 1 year"],
  ["2027-11-20T11:59:00Z", "in 1 year"],
  ["2028-11-19T12:00:00Z", "in 2 years"],
])("what ends at %s ends %s, counted in days of the calendar", (at, text) => {
  expect(untilText(new Date(at), now, "UTC")).toBe(text);
});

test("instants, dates and days until an end follow the time zone", () => {
  const at = new Date("2026-11-20T23:59:59.999Z");
  const texts = (zone: string) => [dateText(at, zone), instantText(at, zone), momentText(at, zone)];
  expect(texts("UTC")).toEqual(["20 Nov 2026", "20 Nov 2026, 23:59:59 UTC", "20 Nov, 23:59"]);
  expect(texts("Europe/Berlin")).toEqual(["21 Nov 2026", "21 Nov 2026, 00:59:59 UTC+1", "21 Nov, 00:59"]);
  expect([untilText(at, now, "UTC"), untilText(at, now, "Europe/Berlin")]).toEqual(["today", "tomorrow"]);
  expect(instantText(at, "Asia/Kathmandu")).toBe("21 Nov 2026, 05:44:59 UTC+5:45");
  expect(instantText(at, "America/New_York")).toBe("20 Nov 2026, 18:59:59 UTC−5");
});

test.each([
  [1, "1 second"],
  [45 * SECOND, "45 seconds"],
  [MINUTE, "60 seconds"],
  [MINUTE + 1, "2 minutes"],
  [3 * MINUTE, "3 minutes"],
])("whoever is told to wait %d ms is told %s", (ms, text) => expect(waitText(ms)).toBe(text));

test.each([
  [0, "0 seconds"],
  [1500, "1 second"],
  [119 * SECOND, "1 minute"],
  [47 * HOUR, "1 day"],
  [400 * DAY, "400 days"],
])("what has lasted %d ms has lasted %s", (ms, text) => expect(durationText(ms)).toBe(text));
