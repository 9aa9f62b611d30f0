import { expect, test } from "vitest";
import { MINUTE } from "@/lib/format/time";
import { type Conditions, nextStep } from "./conditions";

/** Plays observations of a critical score, each at a minute, and answers what was told. */
function play(steps: readonly (readonly [minute: number, is: boolean, hasPaused?: boolean])[]): string[] {
  let conditions: Conditions = {};
  return steps.flatMap(([minute, is, hasPaused = false]) => {
    const step = nextStep(conditions, hasPaused, [
      { kind: "critical", at: minute * MINUTE, is, facts: { score: 300 } },
    ]);
    // As the column holds it.
    conditions = JSON.parse(JSON.stringify(step.conditions));
    return step.changes.map(({ from, to, facts }) =>
      facts ? `begins ${from / MINUTE}` : `ended ${(to ?? 0) / MINUTE}`,
    );
  });
}

const minutes = (from: number, to: number, is: boolean) =>
  Array.from({ length: to - from }, (_, index) => [from + index, is] as const);

test("a condition is told once after ten minutes, dated to its beginning", () => {
  expect(play([...minutes(0, 9, true), ...minutes(9, 10, false), ...minutes(10, 20, true)])).toEqual([]);
  expect(play([...minutes(10, 24, true), ...minutes(24, 26, false), ...minutes(26, 30, true)])).toEqual(["begins 10"]);
  expect(play([...minutes(10, 30, true), ...minutes(30, 45, false)])).toEqual(["begins 10", "ended 30"]);
});

test("after a clock jumped back the waiting begins anew and lasts no longer", () => {
  expect(play([...minutes(500, 505, true), ...minutes(0, 10, true)])).toEqual([]);
  expect(play([...minutes(500, 505, true), ...minutes(0, 11, true)])).toEqual(["begins 0"]);
});

const once = (minute: number, is = true) => [minute, is] as const;
const paused = (minute: number, is = true) => [minute, is, true] as const;

test("a pause restarts the waiting, and a told condition goes on", () => {
  expect(play([once(0), once(5), paused(50), once(55)])).toEqual([]);
  expect(play([once(0), once(5), paused(50), once(60)])).toEqual(["begins 50"]);
  expect(play([...minutes(0, 12, true), paused(90)])).toEqual(["begins 0"]);
  const over = play([...minutes(0, 12, true), paused(90, false), once(99, false), once(100, false)]);
  expect(over).toEqual(["begins 0", "ended 90"]);
});
