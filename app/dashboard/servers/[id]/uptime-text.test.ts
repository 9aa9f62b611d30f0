import { expect, test } from "vitest";
import { DAY, MINUTE, SECOND } from "@/lib/format/time";
import { uptimeText } from "./uptime-text";

const NOTHING = {
  recorded: 30 * DAY,
  offline: 0,
  outages: 0,
  unreachable: 0,
  maintenance: 0,
  unknown: 0,
  percent: 100,
};

test("a percentage never stands without what it comes from, and what is not known has none", () => {
  expect(uptimeText({ ...NOTHING, offline: 31 * MINUTE, outages: 2, unknown: 4 * MINUTE, percent: 99.93 })).toBe(
    "99.93 %: 31 min offline in 2 outages; 4 min not known",
  );
  expect(uptimeText({ ...NOTHING, offline: 20 * SECOND, outages: 1, unreachable: 90 * MINUTE, percent: 99.99 })).toBe(
    "99.99 %: 20 s offline in 1 outage; 1 h 30 min unreachable",
  );
  expect(uptimeText(NOTHING)).toBe("100 %: never offline");
  expect(uptimeText({ ...NOTHING, unknown: 30 * DAY, percent: null })).toBe("Not known.");
  expect(uptimeText({ ...NOTHING, recorded: 0, percent: null })).toBe("Nothing is recorded yet.");
});
