import { expect, test } from "vitest";
import { levelOf, type NeedFacts, needOf, shownLevel } from "./health-level";

test.each([
  [1000, "healthy"],
  [800, "healthy"],
  [799, "strained"],
  [500, "strained"],
  [499, "critical"],
  [0, "critical"],
])("a score of %d is %s", (score, level) => expect(levelOf(score)).toBe(level));

const full = { cpu: 1000, memory: 1000, disk: 1000, network: 1000, stability: 1000, freshness: 1000 };
const well: NeedFacts = {
  hasCheckedIn: true,
  online: true,
  score: 1000,
  components: full,
  day: { outages: 0, reboots: 0 },
};

test.each<[string, Partial<NeedFacts>, string]>([
  ["at full score", {}, "well"],
  ["with a score of 800 and no component under 500", { score: 800, components: { ...full, cpu: 500 } }, "well"],
  ["with a score of 799", { score: 799 }, "attention"],
  ["at 100 % CPU, which leaves a score of 800", { score: 800, components: { ...full, cpu: 0 } }, "attention"],
  ["with a component of 499", { score: 900, components: { ...full, disk: 499 } }, "attention"],
  ["with an outage in the last 24 hours", { day: { outages: 1, reboots: 0 } }, "attention"],
  ["with a restart in the last 24 hours", { day: { outages: 0, reboots: 1 } }, "attention"],
  ["that is offline, whatever its score", { online: false }, "offline"],
  ["that never checked in", { hasCheckedIn: false, online: false, score: 500 }, "never"],
])("a server %s: %s", (_, change, need) => expect(needOf({ ...well, ...change })).toBe(need));

test("a server needing attention never looks healthy, and other scores keep their colours", () => {
  expect(shownLevel(854, "attention")).toBe("strained");
  expect(shownLevel(499, "attention")).toBe("critical");
  expect([shownLevel(854, "well"), shownLevel(854, "offline"), shownLevel(799, "well")]).toEqual([
    "healthy",
    "healthy",
    "strained",
  ]);
});
