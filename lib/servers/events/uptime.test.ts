import { expect, test } from "vitest";
import { randomAt } from "@/e2e/support/random";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import type { TimeRange } from "@/lib/format/time-range";
import { type Availability, uptimeDays, uptimeMonths, uptimeOf, withoutMaintenance } from "./uptime";

const ALL = { from: 0, to: Number.MAX_SAFE_INTEGER };
const known = (outages: TimeRange[], maintenance: TimeRange[] = [], now = 1000, since = 0): Availability => ({
  ...{ pieces: withoutMaintenance(outages, maintenance), maintenance, since, now },
});

test("uptime is the recorded share not offline, cut and never rounded up", () => {
  expect(uptimeOf(known([{ from: 100, to: 101 }]), ALL)).toEqual({
    ...{ known: 1000, offline: 1, outages: 1, maintenance: 0, percent: 99.9 },
  });
  expect(uptimeOf(known([{ from: 0, to: 1 }], [], 100_000), ALL).percent).toBe(99.99);
  const two = known([
    { from: 100, to: 200 },
    { from: 300, to: 1000 },
  ]);
  expect(uptimeOf(two, { from: 150, to: 350 })).toMatchObject({ known: 200, offline: 100, outages: 2, percent: 50 });
  expect(uptimeOf(two, { from: 200, to: 300 })).toMatchObject({ offline: 0, outages: 0, percent: 100 });
  expect(uptimeOf(known([{ from: 0, to: 50 }], [], 1000, 500), ALL)).toMatchObject({ known: 500, outages: 0 });
});

test("maintenance is left out, and an outage across it counts as one", () => {
  const left = [{ from: 150, to: 300 }];
  expect(uptimeOf(known([{ from: 100, to: 200 }], left), ALL)).toEqual({
    ...{ known: 850, offline: 50, outages: 1, maintenance: 150, percent: 94.11 },
  });
  expect(uptimeOf(known([{ from: 100, to: 400 }], left), ALL)).toMatchObject({ offline: 150, outages: 1 });
  expect(uptimeOf(known([{ from: 160, to: 200 }], left), ALL)).toMatchObject({ offline: 0, outages: 0, percent: 100 });
});

test("where nothing is recorded there is no percentage", () => {
  expect(uptimeOf(known([], [], 1000, 1000), ALL)).toMatchObject({ known: 0, percent: null });
  expect(uptimeOf(known([], [], 1000, 40), { from: 0, to: 40 })).toMatchObject({ known: 0, percent: null });
  expect(uptimeOf(known([], [{ from: 0, to: 1000 }]), ALL)).toMatchObject({ maintenance: 1000, percent: null });
});

test("a strip's days begin at their zone's midnight, and unrecorded ones have no uptime", () => {
  const now = Date.UTC(2026, 9, 26, 12);
  const of = known([], [], now, Date.UTC(2026, 9, 24, 3));
  const days = uptimeDays(of, "Europe/Berlin", 4);
  expect(days.map(({ from, to }) => (to - from) / HOUR)).toEqual([24, 24, 25, 24]);
  expect(days.map(({ uptime }) => uptime && uptime.known / HOUR)).toEqual([null, 19, 25, 13]);
});

test("a year's ended months follow in their zone, without those never recorded", () => {
  const now = Date.UTC(2026, 2, 15);
  const months = uptimeMonths(known([], [], now, now - 400 * DAY), "Europe/Berlin");
  expect(months).toHaveLength(12);
  for (const [index, { from }] of months.entries()) if (index > 0) expect(from).toBe(months[index - 1]?.to);
  expect(new Date(months.at(-1)?.to ?? 0).toISOString()).toBe("2026-02-28T23:00:00.000Z");
  expect(uptimeMonths(known([], [], now, now - 20 * DAY), "UTC")).toHaveLength(1);
});

/** Seed, outages and maintenance in whole seconds, in order and without overlaps among themselves. */
function randomRecord(seed: number): { outages: TimeRange[]; of: Availability } {
  let drawn = 0;
  const upTo = (most: number) => Math.floor(randomAt(1000 * seed + drawn++) * most);
  const now = 400 * DAY;
  const times = (count: number, pause: number, length: number) => {
    let at = Math.floor((now - upTo(2 * pause * count)) / SECOND) * SECOND;
    return Array.from({ length: count }, () => {
      const from = at + SECOND * (1 + upTo(pause / SECOND));
      const to = from + SECOND * (1 + upTo(length / SECOND));
      at = to;
      return { from, to };
    });
  };
  const outages = times(1 + upTo(20), 2 * DAY, 5 * HOUR)
    .filter(({ from }) => from < now)
    .map(({ from, to }) => ({ from, to: Math.min(to, now) }));
  const maintenance = times(upTo(8), 3 * DAY, 9 * HOUR);
  return { outages, of: known(outages, maintenance, now, now - SECOND * upTo((60 * DAY) / SECOND)) };
}

test("of 200 random records the uptime is what a second by second reading says", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const { outages, of } = randomRecord(seed);
    const time = { from: of.now - 3 * HOUR - seed * 7 * MINUTE, to: of.now };
    const covers = (all: readonly TimeRange[], at: number) => all.findIndex(({ from, to }) => from <= at && at < to);
    const [counted, read] = [new Set<number>(), { known: 0, offline: 0, maintenance: 0 }];
    for (let at = Math.max(time.from, of.since); at < time.to; at += SECOND) {
      if (covers(of.maintenance, at) >= 0) read.maintenance++;
      else {
        read.known++;
        const outage = covers(outages, at);
        if (outage >= 0) read.offline++;
        if (outage >= 0) counted.add(outage);
      }
    }
    const { percent: _, ...said } = uptimeOf(of, time);
    const ms = { known: read.known * SECOND, offline: read.offline * SECOND, maintenance: read.maintenance * SECOND };
    expect(said, `seed ${seed}`).toEqual({ ...ms, outages: counted.size });
  }
});
