import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import {
  parseStabilityRecord,
  type StabilityRecord,
  summariseStability,
  withCheckIn,
  withCorrection,
  withUnknown,
} from "./stability";

const START = Date.UTC(2026, 10, 20, 0);
const LONG_AGO = START - 30 * DAY;
const quiet = { restarts: 0, oomKills: 0, failedUnits: 0 };
const empty = parseStabilityRecord({});

/** Check-ins every `every` ms in [from, to). */
function checkedIn(record: StabilityRecord, from: number, to: number, every = 30 * SECOND): StabilityRecord {
  let result = record;
  for (let at = from; at < to; at += every) result = withCheckIn(result, at, quiet);
  return result;
}

test("a daemon that checks in at least once a minute for 24 hours has full coverage, however often it does", () => {
  for (const every of [10 * SECOND, 30 * SECOND, MINUTE]) {
    const record = checkedIn(empty, START, START + DAY, every);
    expect(summariseStability(record, LONG_AGO, START + DAY - 1)?.coveragePct).toBe(100);
  }
});

test("every minute without a check-in lowers the coverage", () => {
  const before = checkedIn(empty, START, START + 12 * HOUR);
  const record = checkedIn(before, START + 13 * HOUR, START + DAY);
  expect(summariseStability(record, LONG_AGO, START + DAY - 1)?.coveragePct).toBeCloseTo((1380 / 1439) * 100, 5);
});

test("minutes of a silence in which nobody was there count as heard, each once, also those that are heard later", () => {
  const before = checkedIn(empty, START, START + 12 * HOUR);
  const after = withCheckIn(before, START + 15 * HOUR, quiet);
  const away = { from: START + 12 * HOUR + 90 * SECOND, to: START + 15 * HOUR };
  const known = withUnknown(withUnknown(after, away), { ...away, from: away.from + HOUR });
  const full = checkedIn(empty, START, START + 15 * HOUR + MINUTE);
  expect(known).toEqual(full);
  expect(checkedIn(known, START + 13 * HOUR, START + 14 * HOUR)).toEqual(full);
  expect(withUnknown(known, { from: START - DAY, to: START - 23 * HOUR })).toEqual(full);
});

test("check-ins in any order, and some of them twice, end in the same record as each once in turn", () => {
  const times = Array.from({ length: 150 }, (_, n) => START + n * 30 * SECOND);
  const replayed = [...times.slice(120), ...times.slice(0, 130)].reduce((r, at) => withCheckIn(r, at, quiet), empty);
  expect(replayed).toEqual(checkedIn(empty, START, START + 75 * MINUTE));
});

test("what is older than 24 hours no longer counts and is not kept", () => {
  const record = withCheckIn(empty, START, { ...quiet, restarts: 1, oomKills: 3, failedUnits: 0 });
  const later = withCheckIn(record, START + 25 * HOUR, quiet);
  expect(later).toMatchObject({ minutes: `${"00".repeat(24)}01`, events: [] });
  expect(summariseStability(later, LONG_AGO, START + 25 * HOUR)).toMatchObject({ reboots: 0, oomKills: 0 });
  expect(summariseStability(record, LONG_AGO, START + 25 * HOUR)?.coveragePct).toBe(0);
});

test("a server is judged from its creation on, not for the time before", () => {
  const created = START + 90 * SECOND;
  const record = checkedIn(empty, created, created + 10 * MINUTE);
  expect(summariseStability(record, created, created + 10 * MINUTE)?.coveragePct).toBe(100);
});

test("events are counted, and the last state of system services is kept when it is not reported", () => {
  let record = withCheckIn(empty, START, { restarts: 1, oomKills: 1, failedUnits: 2 });
  record = withCheckIn(record, START + MINUTE, { restarts: 1, oomKills: 0, failedUnits: null });
  expect(summariseStability(record, LONG_AGO, START + MINUTE)).toMatchObject({
    reboots: 2,
    oomKills: 1,
    failedUnits: 2,
    lastOomAt: START,
  });
});

test("no check-in yet, or a column that is no such record, is nothing rather than a perfect server", () => {
  expect(summariseStability(empty, LONG_AGO, START)).toBeNull();
  for (const column of [null, 7, "x", [], { minutes: 7 }, { hours: [] }]) {
    expect(summariseStability(parseStabilityRecord(column), LONG_AGO, START)).toBeNull();
  }
});

test("a count of an hour that a late sample proves wrong is taken back, and never falls below none", () => {
  const record = withCheckIn(empty, START + HOUR, { ...quiet, restarts: 1 });
  const corrected = withCorrection(record, START + HOUR, -1);
  expect(corrected.events).toEqual([]);
  expect(withCorrection(corrected, START + HOUR, -1).events).toEqual([]);
});
