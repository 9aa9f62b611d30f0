import { expect, test } from "vitest";
import { differenceOfConditions, type Measured, measuredOf } from "@/e2e/support/random-conditions";
import { MINUTE, SECOND } from "@/lib/format/time";
import { type ConditionEvent, type Conditions, nextStep, type Observation } from "./conditions";

/** Plays samples, a half minute apart unless said otherwise, and answers the events with their times in minutes. */
function play(samples: readonly Measured[]) {
  const rows = new Map<string, ConditionEvent>();
  let conditions: Conditions | null = null;
  let last: number | null = null;
  for (const { at, score, isFull } of samples) {
    const observations: Observation[] = [
      { kind: "critical", at, is: score < 500, facts: {} },
      { kind: "strained", at, is: score < 800, facts: { score } },
      { kind: "disk_full", at, is: isFull, facts: {} },
      { kind: "unwell", at, is: score < 850, facts: {} },
    ];
    const pausedAt: number | null = last !== null && at - last > 2.5 * MINUTE ? last + 2 * MINUTE : null;
    const step = nextStep(conditions, pausedAt, observations);
    for (const event of step.events) rows.set(`${event.kind} ${event.from}`, event);
    // As the database keeps it.
    conditions = step.conditions && (JSON.parse(JSON.stringify(step.conditions)) as Conditions);
    last = at;
  }
  return { conditions, events: [...rows.values()] };
}

type Phase = readonly [minutes: number, score: number | null];

/** The score of each half minute; null: nothing is heard. */
function scores(...phases: readonly Phase[]): Measured[] {
  let at = 0;
  return phases.flatMap(([minutes, score]) => {
    const samples = Array.from({ length: minutes * 2 }, (_, index) => at + 30 * index * SECOND);
    at += minutes * MINUTE;
    return score === null ? [] : samples.map((at) => ({ at, score, isFull: score === 1 }));
  });
}

const inMinutes = (samples: readonly Measured[]) =>
  play(samples).events.map(({ kind, from, to }) => [kind, from / MINUTE, to === null ? null : to / MINUTE]);

test("a level is told once it has held for ten minutes, dated to its beginning, and ended likewise; a shorter one is not", () => {
  expect(inMinutes(scores([5, 900], [10, 700]))).toEqual([]);
  expect(inMinutes(scores([5, 900], [11, 700]))).toEqual([["strained", 5, null]]);
  expect(inMinutes(scores([5, 900], [12, 700], [9, 900], [5, 700]))).toEqual([["strained", 5, null]]);
  expect(inMinutes(scores([5, 900], [12, 700], [11, 900]))).toEqual([["strained", 5, 17]]);
});

test("a critical server is not strained as well: what was told as strained ends where it became critical, and goes on after it only if it holds", () => {
  expect(inMinutes(scores([12, 400]))).toEqual([["critical", 0, null]]);
  expect(inMinutes(scores([12, 700], [11, 400]))).toEqual([
    ["strained", 0, 12],
    ["critical", 12, null],
  ]);
  expect(inMinutes(scores([12, 400], [1, 700], [30, 900]))).toEqual([["critical", 0, 12]]);
  expect(inMinutes(scores([12, 400], [11, 700]))).toEqual([
    ["critical", 0, 12],
    ["strained", 12, null],
  ]);
  // Never ten minutes critical, and never healthy.
  expect(inMinutes(scores([5, 700], [5, 400], [5, 700], [5, 400]))).toEqual([["strained", 0, null]]);
});

test("a silence ends a level two minutes after the last sample, and its ten minutes begin anew; a disk stays full", () => {
  expect(inMinutes(scores([12, 700], [30, null], [9, 700]))).toEqual([["strained", 0, 13.5]]);
  expect(inMinutes(scores([20, 1], [30, null], [3, 1])).filter(([kind]) => kind === "disk_full")).toEqual([
    ["disk_full", 0, null],
  ]);
  expect(inMinutes(scores([8, 700], [30, null], [9, 700]))).toEqual([]);
});

test("a server is not well from a sample until it has been well for ten minutes, through silences, and no event is told of that", () => {
  const since = (...phases: readonly Phase[]) => {
    const { conditions, events } = play(scores(...phases));
    expect(events).toEqual([]);
    const run = conditions?.unwell;
    return run && (run.told ?? run.since) / MINUTE;
  };
  expect(since([5, 900], [3, 820])).toBe(5);
  expect(since([5, 900], [3, 820], [1, 900], [2, 820])).toBe(9);
  expect(since([5, 900], [20, 820], [9, 900], [2, 820])).toBe(5);
  expect(since([5, 900], [20, 820], [30, null], [2, 820])).toBe(5);
  expect(since([5, 900], [20, 820], [11, 900])).toBeUndefined();
});

/** CI plays two thousand. */
const HISTORIES = process.env.CI ? 2000 : 200;

test(`${HISTORIES} random histories of scores, disks and silences: the events are what the model says, no two levels overlap, and none is told in a silence`, () => {
  const met = new Map<string, number>();
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const samples = measuredOf(seed);
    const { events, conditions } = play(samples);
    expect(differenceOfConditions(samples, events), `seed ${seed}`).toBeNull();
    for (const { kind } of events) met.set(kind, (met.get(kind) ?? 0) + 1);
    const levels = events.filter(({ kind }) => kind !== "disk_full").sort((a, b) => a.from - b.from);
    for (const [index, { from, to }] of levels.entries()) {
      expect(to ?? from, `seed ${seed}`).toBeLessThanOrEqual(levels[index + 1]?.from ?? Number.POSITIVE_INFINITY);
      const heard = samples.filter(({ at }) => at >= from && at < (to ?? Number.POSITIVE_INFINITY));
      for (const [place, { at }] of heard.entries())
        expect(at - (heard[place - 1]?.at ?? at), `seed ${seed}`).toBeLessThanOrEqual(2.5 * MINUTE);
    }
    const open = events.filter(({ to }) => to === null).map(({ kind, from }) => [kind, from]);
    const told = Object.entries(conditions ?? {}).flatMap(([kind, run]) =>
      run.told === undefined || kind === "unwell" ? [] : [[kind, run.told]],
    );
    expect(told.sort(), `seed ${seed}`).toEqual(open.sort());
  }
  for (const kind of ["strained", "critical", "disk_full"]) expect(met.get(kind), kind).toBeGreaterThan(HISTORIES / 4);
});
