import { expect, test } from "vitest";
import { zoneOf } from "./time-zone";

test.each([
  ["UTC", false, "America/New_York", "America/New_York", false],
  ["UTC", false, undefined, "UTC", false],
  ["UTC", false, "Nowhere/Land", "UTC", false],
  ["UTC", false, "../../etc", "UTC", false],
  ["UTC", true, "America/New_York", "UTC", true],
  ["Asia/Kathmandu", false, "America/New_York", "Asia/Kathmandu", true],
])("stored %s, chosen: %s, browser %s: pages are in %s", (timeZone, timeZoneChosen, cookie, shown, hasChosenZone) => {
  const zone = zoneOf({ timeZone, timeZoneChosen }, cookie);
  expect(zone.hasChosenZone).toBe(hasChosenZone);
  // Runtimes do not agree on the names of all zones.
  const named = new Intl.DateTimeFormat("en", { timeZone: shown }).resolvedOptions().timeZone;
  expect([shown, named]).toContain(zone.timeZone);
});
