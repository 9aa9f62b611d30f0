import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { uptimeText } from "./uptime-text";

const NOTHING = { known: 30 * DAY, offline: 0, outages: 0, maintenance: 0, percent: 100 };

test("every percentage states its source, and an unknown uptime has none", () => {
  expect(uptimeText({ ...NOTHING, offline: 31 * MINUTE, outages: 2, percent: 99.93 })).toBe(
    "99.93 %: 31 min offline in 2 outages",
  );
  expect(uptimeText(NOTHING)).toBe("100 %: never offline");
  expect(uptimeText({ ...NOTHING, known: 0, maintenance: 2 * HOUR, percent: null })).toBe(
    "2 h of maintenance left out.",
  );
  expect(uptimeText({ ...NOTHING, known: 0, percent: null })).toBe("Nothing is recorded yet.");
});
