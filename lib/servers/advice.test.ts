import { expect, test } from "vitest";
import { MINUTE, SECOND } from "@/lib/format/time";
import { worstCause } from "./advice";
import { explainHealth, mainCause } from "./health-breakdown";
import { type HealthFacts, type Measurements, rateHealth, type Stability } from "./health-score";
import { eachMeasurement } from "./telemetry/measurements";

const NOW = Date.UTC(2026, 10, 23, 12);
const IDLE: Measurements = {
  ...eachMeasurement(() => 0),
  ...{ ts: NOW - 10 * SECOND, cpuPct: 10, memUsedMb: 100, memTotalMb: 1000, diskUsedPct: 10 },
};
const STEADY: Stability = { coveragePct: 100, reboots: 0, oomKills: 0, failedUnits: 0, lastOomAt: null };
const WELL: HealthFacts = { lastSeenAt: NOW - 10 * SECOND, cores: 4, sample: IDLE, stability: STEADY };
const measured = (change: Partial<Measurements>): HealthFacts => ({ ...WELL, sample: { ...IDLE, ...change } });
const stable = (change: Partial<Stability>): HealthFacts => ({ ...WELL, stability: { ...STEADY, ...change } });

/** The cause of the component that costs most. */
const causeOf = (facts: HealthFacts) => {
  const [worst] = explainHealth(rateHealth(facts, NOW));
  return worst && worst.lost > 0 ? worstCause(worst.causes)?.kind : undefined;
};

test.each([
  ["busy", measured({ cpuPct: 90 })],
  ["stolen", measured({ cpuPct: 62, cpuStealPct: 18 })],
  ["waiting", measured({ cpuPct: 62, cpuIowaitPct: 50 })],
  ["loaded", measured({ cpuPct: 62, load5: 16 })],
  ["used", measured({ memUsedMb: 950, swapUsedPct: 30 })],
  ["swapped", measured({ memUsedMb: 710, swapUsedPct: 80 })],
  ["outOfMemory", measured({ memUsedMb: 710, oomKills: 1 })],
  ["full", measured({ diskUsedPct: 97 })],
  ["lost", measured({ netLossPct: 4 })],
  ["retransmitted", measured({ netLossPct: 0.2, netRetransmitPct: 9 })],
  // It was silent for hours, and nothing failed.
  ["silent", stable({ coveragePct: 90 })],
  ["silent", stable({ coveragePct: 90, reboots: 1 })],
  ["restarts", stable({ coveragePct: 99.5, reboots: 2 })],
  ["oomKills", stable({ oomKills: 2, reboots: 1 })],
  ["failedUnits", stable({ failedUnits: 3, reboots: 1 })],
  ["lateCheckIn", { ...WELL, lastSeenAt: NOW - MINUTE }],
  ["notReported", measured({ diskUsedPct: null })],
  ["old", { ...WELL, sample: { ...IDLE, ts: NOW - 8 * MINUTE } }],
  [undefined, WELL],
] as const)("the advice is about %s where that took most points", (kind, facts) => {
  expect(causeOf(facts)).toBe(kind);
});

test("the list names the cause that took most points as well", () => {
  expect(mainCause(rateHealth(measured({ cpuPct: 62, cpuStealPct: 18 }), NOW))).toMatch(/^CPU: 18 % stolen/);
});
