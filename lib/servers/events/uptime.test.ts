import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { historyOf, SimulatedStore } from "@/e2e/support/random-histories";
import { needsProgram } from "@/e2e/support/unit-needs";
import { csvRow } from "@/lib/format/csv";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import type { SilenceEvent } from "./silence";
import { UPTIME_RANGES, type UptimeRange, uptimeDays, uptimeOf as uptimeOfKnown, withoutMaintenance } from "./uptime";

const known = (events: readonly SilenceEvent[]) => withoutMaintenance(events, []);
const uptimeOf = (events: readonly SilenceEvent[], from: number, to: number) => uptimeOfKnown(known(events), from, to);

test("uptime is the share of the known time that was not offline, cut and never rounded up; outages that go on count once", () => {
  const events: SilenceEvent[] = [
    // Half of it lies before.
    { kind: "offline", from: -10 * MINUTE, to: 10 * MINUTE },
    { kind: "unknown", from: 60 * MINUTE, to: 64 * MINUTE },
    // One silence with two times of being offline.
    { kind: "offline", from: 100 * MINUTE, to: 110 * MINUTE },
    { kind: "unreachable", from: 110 * MINUTE, to: 115 * MINUTE },
    { kind: "offline", from: 115 * MINUTE, to: 126 * MINUTE },
    { kind: "unreachable", from: 200 * MINUTE, to: 201 * MINUTE },
  ];
  expect(uptimeOf(events, 0, DAY)).toEqual({
    recorded: DAY,
    offline: 31 * MINUTE,
    outages: 2,
    unreachable: 6 * MINUTE,
    unknown: 4 * MINUTE,
    maintenance: 0,
    percent: 97.84,
  });
  expect(uptimeOf([{ kind: "offline", from: DAY - 1, to: null }], 0, DAY)).toMatchObject({
    offline: 1,
    outages: 1,
    percent: 99.99,
  });
  expect(uptimeOf([], 0, DAY)).toMatchObject({ percent: 100, outages: 0 });
});

test("maintenance is left out: neither what was offline in it nor its time counts, and an outage over it is one outage", () => {
  const events: SilenceEvent[] = [
    { kind: "offline", from: 10 * MINUTE, to: 40 * MINUTE },
    { kind: "unknown", from: 40 * MINUTE, to: 50 * MINUTE },
    { kind: "offline", from: 70 * MINUTE, to: 75 * MINUTE },
    { kind: "offline", from: 90 * MINUTE, to: null },
  ];
  const maintenance = [
    { from: 20 * MINUTE, to: 30 * MINUTE },
    { from: 45 * MINUTE, to: 60 * MINUTE },
    { from: 65 * MINUTE, to: 80 * MINUTE },
    { from: 95 * MINUTE, to: 300 * MINUTE },
  ];
  expect(uptimeOfKnown(withoutMaintenance(events, maintenance), 0, 100 * MINUTE)).toEqual({
    recorded: 100 * MINUTE,
    // 10 to 20, 30 to 40 and 90 to 95.
    offline: 25 * MINUTE,
    outages: 2,
    unreachable: 0,
    unknown: 5 * MINUTE,
    maintenance: 45 * MINUTE,
    percent: 50,
  });
  const all = [{ from: -1, to: 200 * MINUTE }];
  expect(uptimeOfKnown(withoutMaintenance(events, all), 0, 100 * MINUTE)).toMatchObject({ percent: null, outages: 0 });
});

test("where nothing is known there is no percentage", () => {
  expect(uptimeOf([{ kind: "unknown", from: 0, to: null }], 0, DAY)).toMatchObject({ percent: null, unknown: DAY });
  expect(uptimeOf([], DAY, DAY)).toMatchObject({ percent: null, recorded: 0 });
  expect(uptimeOf([{ kind: "offline", from: 0, to: 30 * SECOND }], 0, 30 * SECOND)).toMatchObject({ percent: 0 });
});

test("the days of a strip begin at midnight of their zone, of 23, 24 or 25 hours; what is not recorded has no uptime", () => {
  const zone = "Europe/Berlin";
  const now = Date.parse("2026-11-01T12:00:00Z");
  const recordedSince = Date.parse("2026-10-24T10:00:00Z");
  const days = uptimeDays(known([{ kind: "offline", from: now - HOUR, to: null }]), {
    recordedSince,
    now,
    zone,
    days: 90,
  });
  expect(days).toHaveLength(90);
  const lengths = days.map(({ from, to }) => (to - from) / HOUR);
  // Clocks were put back on 25 October.
  expect(days.findIndex(({ from }) => from === Date.parse("2026-10-24T22:00:00Z"))).toBe(lengths.indexOf(25));
  expect(new Set(lengths)).toEqual(new Set([24, 25]));
  expect(days.filter(({ uptime }) => uptime === null)).toHaveLength(81);
  expect(days.find(({ uptime }) => uptime !== null)?.uptime?.recorded).toBe(12 * HOUR);
  expect(days.at(-1)?.uptime).toMatchObject({ offline: HOUR, outages: 1, recorded: 13 * HOUR });
});

/** So late that some ranges cut what they hold, and some do not. */
const LATER = [0, DAY - 10 * MINUTE, 6 * DAY];

test("the recipe, of at most 30 lines, recomputes every figure to the second from the CSV of 40 random histories", (context) => {
  needsProgram(context, "python3");
  const recipe = "public/recipes/uptime.py";
  expect(readFileSync(recipe, "utf8").trim().split("\n").length).toBeLessThanOrEqual(30);
  const dir = mkdtempSync(join(tmpdir(), "uptime-"));
  const file = join(dir, "events.csv");
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  try {
    const met = new Set<string>();
    for (let seed = 1; seed <= 40; seed++) {
      const store = new SimulatedStore();
      const history = historyOf(seed);
      for (const step of history) store.take(step);
      const now = (history.at(-1)?.now ?? 0) + (LATER[seed % LATER.length] ?? 0) + (seed % 7) * 111;
      const since = (history[0]?.now ?? 0) + (seed % 2) * 7 * MINUTE;
      const events = store.eventsAt(now);
      // Two times of maintenance in half of the histories, the second one not over yet in some.
      const begun = history[0]?.now ?? 0;
      const maintenance =
        seed % 2 === 0
          ? []
          : [
              { from: begun + (seed % 11) * MINUTE, to: begun + ((seed % 11) + 2) * MINUTE + 333 },
              { from: begun + 15 * MINUTE, to: begun + (seed % 3 === 0 ? 9 * DAY : 16 * MINUTE) },
            ];
      const left = withoutMaintenance(events, maintenance);
      const rows = [
        ["event", "from", "to"],
        ["recorded", iso(since), iso(now)],
        ...maintenance.map(({ from, to }) => ["maintenance", iso(from), iso(to)]),
        ...events.map(({ kind, from, to }) => [kind, iso(from), iso(to)]),
      ];
      writeFileSync(file, rows.map(csvRow).join(""));
      const wanted = (Object.keys(UPTIME_RANGES) as UptimeRange[]).map((name) => {
        const { percent, outages, ...sums } = uptimeOfKnown(left, Math.max(since, now - UPTIME_RANGES[name]), now);
        for (const kind of ["offline", "unreachable", "unknown"] as const) if (sums[kind] > 0) met.add(kind);
        const seconds = [sums.offline, sums.unreachable, sums.unknown].map((ms) => Math.floor(ms / SECOND));
        if (sums.maintenance > 0) met.add("maintenance");
        const text = `${percent ?? "?"} %; seconds ${seconds.join(" ")} in ${outages} outages`;
        return `${name}: ${text}; ${Math.floor(sums.maintenance / SECOND)} of maintenance`;
      });
      expect(execFileSync("python3", [recipe, file], { encoding: "utf8" }).trim().split("\n"), `seed ${seed}`).toEqual(
        wanted,
      );
    }
    expect(met.size).toBe(4);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
