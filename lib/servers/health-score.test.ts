import { describe, expect, test } from "vitest";
import { randomFacts } from "@/e2e/support/random-facts";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import {
  type HealthFacts,
  type Measurements,
  presentScore,
  rateHealth,
  rateSample,
  type Stability,
  scoreOf,
} from "./health-score";
import { eachMeasurement } from "./telemetry/measurements";

const NOW = Date.UTC(2026, 10, 20, 12);

const idle: Measurements = {
  ...eachMeasurement(() => 0),
  ...{ ts: NOW - 10 * SECOND, cpuPct: 12, cpuIowaitPct: 1, load5: 0.4, memUsedMb: 1640, memTotalMb: 4000 },
  ...{ diskUsedPct: 38, netRetransmitPct: 0.2 },
};
const steady: Stability = { coveragePct: 100, reboots: 0, oomKills: 0, failedUnits: 0, lastOomAt: null };
const healthy: HealthFacts = { lastSeenAt: NOW - 10 * SECOND, cores: 4, sample: idle, stability: steady };

const withSample = (change: Partial<Measurements>): HealthFacts => ({ ...healthy, sample: { ...idle, ...change } });

const SCENARIOS: [name: string, facts: HealthFacts, components: number[], score: number, notes: string[]][] = [
  ["idle and healthy", healthy, [1000, 1000, 1000, 1000, 1000, 1000], 1000, ["All six components are at full score."]],
  [
    "busy but fine",
    withSample({ cpuPct: 72, memUsedMb: 3040, diskUsedPct: 64 }),
    [880, 910, 1000, 1000, 1000, 1000],
    958,
    [
      "CPU: 72 % busy (full score up to 60 %); costs 24 points.",
      "Memory: 76 % used (full score up to 70 %); costs 18 points.",
    ],
  ],
  [
    "CPU saturated, load 4 per core",
    withSample({ cpuPct: 96, load5: 16 }),
    [0, 1000, 1000, 1000, 1000, 1000],
    800,
    ["CPU: 96 % busy (full score up to 60 %), load 4 per core (free up to 1); costs 200 points."],
  ],
  [
    "a noisy neighbour on the host: only the largest deduction counts",
    withSample({ cpuPct: 65, cpuStealPct: 12, cpuIowaitPct: 20, load5: 4.4 }),
    [430, 1000, 1000, 1000, 1000, 1000],
    886,
    [
      "CPU: 65 % busy (full score up to 60 %), 12 % stolen by other guests of the host (free up to 2 %); costs 114 points.",
    ],
  ],
  [
    "memory 94 %, swap 60 %, a process killed for lack of memory",
    {
      ...withSample({ memUsedMb: 3760, swapUsedPct: 60, oomKills: 1 }),
      stability: { ...steady, oomKills: 1, lastOomAt: NOW - MINUTE },
    },
    [1000, 150, 1000, 1000, 850, 1000],
    808,
    [
      "Memory: 94 % used (full score up to 70 %), 60 % of swap used (free up to 20 %), a process was killed for lack of memory within 30 minutes (at most 300 then); costs 170 points.",
      "Stability: 1 process killed for lack of memory in 24 hours; costs 23 points.",
    ],
  ],
  [
    "out of memory 29 minutes ago, plenty of it now",
    { ...healthy, stability: { ...steady, oomKills: 1, lastOomAt: NOW - 29 * MINUTE } },
    [1000, 300, 1000, 1000, 850, 1000],
    838,
    [
      "Memory: a process was killed for lack of memory within 30 minutes (at most 300 then); costs 140 points.",
      "Stability: 1 process killed for lack of memory in 24 hours; costs 23 points.",
    ],
  ],
  [
    "out of memory half an hour before the sample counts for stability only",
    { ...healthy, stability: { ...steady, oomKills: 1, lastOomAt: idle.ts - 30 * MINUTE } },
    [1000, 1000, 1000, 1000, 850, 1000],
    978,
    ["Stability: 1 process killed for lack of memory in 24 hours; costs 23 points."],
  ],
  [
    "packet loss 3 %",
    withSample({ netLossPct: 3 }),
    [1000, 1000, 1000, 400, 1000, 1000],
    910,
    ["Network: 3 % of packets lost (full score up to 0.1 %); costs 90 points."],
  ],
  [
    "the worse of loss and retransmission counts",
    withSample({ netLossPct: 0.5, netRetransmitPct: 10 }),
    [1000, 1000, 1000, 200, 1000, 1000],
    880,
    ["Network: 10 % retransmitted (full score up to 1 %); costs 120 points."],
  ],
  [
    "flapping: three restarts and 97 % of check-ins",
    { ...healthy, stability: { ...steady, reboots: 3, coveragePct: 97 } },
    [1000, 1000, 1000, 1000, 375, 1000],
    906,
    [
      "Stability: 97 % of check-ins received in 24 hours (full score at 100 %), 3 restarts in 24 hours; costs 94 points.",
    ],
  ],
  [
    "many events take off no more than their share",
    { ...healthy, stability: { ...steady, reboots: 50, oomKills: 50, failedUnits: 1 } },
    [1000, 1000, 1000, 1000, 200, 1000],
    880,
    [
      "Stability: 50 restarts in 24 hours, 50 processes killed for lack of memory in 24 hours, 1 failed system service; costs 120 points.",
    ],
  ],
  [
    "last check-in 90 seconds ago",
    { ...healthy, lastSeenAt: NOW - 90 * SECOND },
    [1000, 1000, 1000, 1000, 1000, 750],
    975,
    ["Freshness: last check-in 1 minute ago (full score up to 30 seconds); costs 25 points."],
  ],
  [
    "offline for five minutes: the measurements fade",
    { ...withSample({ ts: NOW - 5 * MINUTE }), lastSeenAt: NOW - 5 * MINUTE },
    [769, 769, 769, 769, 1000, 200],
    747,
    [
      "Freshness: last check-in 5 minutes ago (full score up to 30 seconds); costs 80 points.",
      "CPU: measured 5 minutes ago (counts fully for 2 minutes); costs 46 points.",
      "Memory: measured 5 minutes ago (counts fully for 2 minutes); costs 46 points.",
      "Disk: measured 5 minutes ago (counts fully for 2 minutes); costs 46 points.",
      "Network: measured 5 minutes ago (counts fully for 2 minutes); costs 35 points.",
    ],
  ],
  [
    "offline for an hour: nothing but the past is left",
    {
      ...withSample({ ts: NOW - HOUR }),
      lastSeenAt: NOW - HOUR,
      stability: { ...steady, coveragePct: 95.8 },
    },
    [0, 0, 0, 0, 570, 0],
    86,
    [
      "CPU: measured 1 hour ago (counts fully for 2 minutes); costs 200 points.",
      "Memory: measured 1 hour ago (counts fully for 2 minutes); costs 200 points.",
      "Disk: measured 1 hour ago (counts fully for 2 minutes); costs 200 points.",
      "Network: measured 1 hour ago (counts fully for 2 minutes); costs 150 points.",
      "Freshness: last check-in 1 hour ago (full score up to 30 seconds); costs 100 points.",
      "Stability: 95.8 % of check-ins received in 24 hours (full score at 100 %); costs 65 points.",
    ],
  ],
  [
    "checked in, no sample yet",
    { ...healthy, sample: null },
    [500, 500, 500, 500, 500, 1000],
    550,
    [
      "No telemetry sample has arrived yet: CPU, memory, disk and network count 500 each; costs 375 points.",
      "Stability: not reported, counted as 500; costs 75 points.",
    ],
  ],
  [
    "never checked in",
    { lastSeenAt: null, cores: null, sample: null, stability: null },
    [500, 500, 500, 500, 500, 500],
    500,
    [
      "No telemetry sample has arrived yet: CPU, memory, disk and network count 500 each; costs 375 points.",
      "Stability: not reported, counted as 500; costs 75 points.",
      "Freshness: not reported, counted as 500; costs 50 points.",
    ],
  ],
  [
    "a sample in which the disk was not measured",
    withSample({ diskUsedPct: null }),
    [1000, 1000, 500, 1000, 1000, 1000],
    900,
    ["Disk: not reported, counted as 500; costs 100 points."],
  ],
  [
    "times that lie in the future count as now",
    { ...withSample({ ts: NOW + HOUR }), lastSeenAt: NOW + HOUR },
    [1000, 1000, 1000, 1000, 1000, 1000],
    1000,
    ["All six components are at full score."],
  ],
];

describe("scenarios", () => {
  test.each(SCENARIOS)("%s", (_, facts, points, ...expected) => {
    const { score, components, notes } = rateHealth(facts, NOW);
    const { cpu, memory, disk, network, stability, freshness } = components;
    expect([[cpu, memory, disk, network, stability, freshness], score, notes]).toEqual([points, ...expected]);
  });
});

test("a stored sample faded by age gives the full calculation's score", () => {
  for (let n = 0; n < 5000; n++) {
    const facts = randomFacts(n, NOW);
    const { sample, stability, cores, lastSeenAt } = facts;
    const rated = rateSample(sample, cores, stability);
    const { score, components } = rateHealth(facts, NOW);
    expect(presentScore({ rated, sampledAt: sample.ts, lastSeenAt }, NOW)).toEqual({ score, components });
  }
});

test("the weights are 20, 20, 20, 15, 15 and 10, and nothing else counts", () => {
  const none = { cpu: 0, memory: 0, disk: 0, network: 0, stability: 0, freshness: 0 };
  const weights = Object.keys(none).map((component) => scoreOf({ ...none, [component]: 1000 }));
  expect(weights).toEqual([200, 200, 200, 150, 150, 100]);
});

test("a worse measurement never raises the score, and everything stays within 0 to 1000", () => {
  const keys = [
    "cpuPct",
    "cpuStealPct",
    "cpuIowaitPct",
    "swapUsedPct",
    "diskUsedPct",
    "netLossPct",
    "netRetransmitPct",
  ] as const;
  for (const key of keys) {
    let previous = 1000;
    for (let value = 0; value <= 100; value += 0.25) {
      const { score, components, notes } = rateHealth(withSample({ [key]: value }), NOW);
      expect(score).toBeLessThanOrEqual(previous);
      for (const points of Object.values(components)) {
        expect(Number.isInteger(points) && points >= 0 && points <= 1000).toBe(true);
      }
      expect(notes.length).toBeGreaterThanOrEqual(1);
      expect(notes.length).toBeLessThanOrEqual(8);
      previous = score;
    }
  }
});
