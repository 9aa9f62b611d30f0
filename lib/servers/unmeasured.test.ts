import { expect, test } from "vitest";
import { COMPONENTS, type HealthFacts, rateHealth, type Stability } from "./health-score";
import type { CurrentValues } from "./servers";
import { eachMeasurement } from "./telemetry/measurements";
import { listUnmeasured } from "./unmeasured";

const NOW = Date.UTC(2026, 10, 23, 12);
const ALL: CurrentValues = { ...eachMeasurement(() => 0), memUsedMb: 10, memTotalMb: 1000, cores: 1 };

/** What the daemon reports when everything that the score does without elsewhere is as bad as it can be. */
const WORST: Readonly<Record<string, Partial<CurrentValues>>> = {
  "load per core": { load5: 1e6 },
  "time stolen by other guests": { cpuStealPct: 100 },
  "waiting for disks": { cpuIowaitPct: 100 },
  swap: { swapUsedPct: 100 },
  "lost packets": { netLossPct: 100 },
  retransmissions: { netRetransmitPct: 100 },
  "processes killed for lack of memory": { oomKills: 1 },
  "failed services": { failedUnits: 100 },
};
function factsOf(current: CurrentValues): HealthFacts {
  const { oomKills, failedUnits } = current;
  const stability: Stability = {
    coveragePct: 100,
    reboots: 0,
    oomKills: (oomKills ?? 0) > 0 ? 100 : 0,
    failedUnits: failedUnits ?? 0,
    lastOomAt: (oomKills ?? 0) > 0 ? NOW : null,
  };
  return { lastSeenAt: NOW, cores: current.cores, sample: { ts: NOW, ...current }, stability };
}

test.each(Object.entries(WORST))(
  "without %s a server lacks the points that it takes at its worst, and no component is called not reported",
  (what, worst) => {
    const lost = 1000 - rateHealth(factsOf({ ...ALL, ...worst }), NOW).score;
    const without = { ...ALL, ...Object.fromEntries(Object.keys(worst).map((name) => [name, null])) };
    expect(listUnmeasured(without)).toEqual([{ what, points: lost }]);
    const { score, causes } = rateHealth(factsOf(without), NOW);
    expect([score, COMPONENTS.flatMap((name) => causes[name])]).toEqual([1000, []]);
  },
);

test("a server whose daemon measures everything, and one without a sample, lack nothing", () => {
  expect(listUnmeasured(ALL)).toEqual([]);
  expect(listUnmeasured({ ...eachMeasurement(() => null), cores: null })).toEqual([]);
});

test("load that is not put in relation to cores is not counted", () => {
  expect(listUnmeasured({ ...ALL, load5: 50, cores: null })).toEqual([{ what: "load per core", points: 100 }]);
  expect(rateHealth(factsOf({ ...ALL, load5: 50, cores: null }), NOW).score).toBe(1000);
});
