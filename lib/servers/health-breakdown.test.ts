import { expect, test } from "vitest";
import { explainHealth, mainCause, stabilityCause } from "./health-breakdown";
import {
  type Cause,
  COMPONENTS,
  type Component,
  type Measurements,
  rateHealth,
  scoreOf,
  WEIGHTS,
} from "./health-score";
import { eachMeasurement } from "./telemetry/measurements";

const NOW = Date.UTC(2026, 10, 22, 12);
const SAMPLE: Measurements = {
  ...eachMeasurement(() => null),
  ...{ ts: NOW - 10_000, cpuPct: 92, memUsedMb: 850, memTotalMb: 1000, diskUsedPct: 50 },
};
const facts = (change: Partial<Measurements>) => ({
  lastSeenAt: NOW - 10_000,
  cores: 4,
  sample: { ...SAMPLE, ...change },
  stability: { coveragePct: 100, reboots: 0, oomKills: 0, failedUnits: 0, lastOomAt: null },
});

test("lost points are whole and add up to what the score lacks", () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % 1001;
  };
  for (let round = 0; round < 2000; round++) {
    const components = Object.fromEntries(COMPONENTS.map((name) => [name, random()])) as Record<Component, number>;
    const causes = Object.fromEntries(COMPONENTS.map((name) => [name, []])) as unknown as Record<Component, Cause[]>;
    const score = scoreOf(components);
    const rows = explainHealth({ score, components, causes });
    expect(rows.reduce((sum, { lost }) => sum + lost, 0)).toBe(1000 - score);
    for (const { component, lost, possible } of rows) {
      expect(Math.abs(lost - (WEIGHTS[component] * (1000 - components[component])) / 100)).toBeLessThan(1);
      expect(lost).toBeLessThanOrEqual(possible);
    }
    expect(rows.map(({ lost }) => lost)).toEqual(rows.map(({ lost }) => lost).sort((a, b) => b - a));
  }
});

test("each component explains itself in words, and the worst is the main cause", () => {
  const rows = explainHealth(rateHealth(facts({}), NOW));
  const causes = [{ kind: "busy", text: "92 % busy (full score up to 60 %)" }];
  expect(rows[0]).toMatchObject({ component: "cpu", possible: 200, causes });
  expect(mainCause(rateHealth(facts({}), NOW))).toBe("CPU: 92 % busy");
  const calm = rateHealth(facts({ cpuPct: 1, memUsedMb: 100 }), NOW);
  expect(mainCause(calm)).toBe("Network: not reported, counted as 500");
});

test("outages, restarts and kills explain only well or mainly unstable servers", () => {
  const components = Object.fromEntries(COMPONENTS.map((name) => [name, 1000])) as Record<Component, number>;
  const causes = rateHealth(facts({}), NOW).causes;
  const well = { score: 900, components, causes };
  const both = { outages: 1, reboots: 1 };
  expect(stabilityCause(well, { outages: 25, reboots: 3 })).toBe("Offline 25 times, 3 restarts");
  expect(stabilityCause(well, { outages: 1, reboots: 0 })).toBe("Offline 1 time");
  expect(stabilityCause(well, { outages: 0, reboots: 1 })).toBe("1 restart");
  expect(stabilityCause(well, { outages: 0, reboots: 0 })).toBeNull();
  expect(stabilityCause({ ...well, score: 799 }, both)).toBeNull();
  const withCpu = { ...components, cpu: 499 };
  expect(stabilityCause({ ...well, components: withCpu }, both)).toBeNull();
  const unstable = { ...well, score: 799, components: { ...withCpu, stability: 330 } };
  expect(stabilityCause(unstable, both)).toBe("Offline 1 time, 1 restart");
  expect(stabilityCause({ ...unstable, components: { ...withCpu, stability: 340 } }, both)).toBeNull();
  const killed = [{ kind: "oomKills", text: "2 processes killed for lack of memory in 24 hours", lost: 300 }] as const;
  const killing = { ...unstable, causes: { ...causes, stability: [...killed] } };
  expect(stabilityCause(killing, { outages: 0, reboots: 0 })).toBe("2 processes killed for lack of memory");
  expect(stabilityCause(killing, { outages: 0, reboots: 1 })).toBe("1 restart");
  const silent = { kind: "silent", text: "81 % of check-ins received in 24 hours", lost: 900 } as const;
  const unheard = { ...killing, causes: { ...causes, stability: [silent, ...killed] } };
  expect(stabilityCause(unheard, { outages: 0, reboots: 0 })).toBeNull();
});
