import { expect, test } from "vitest";
import { areaPath, linePath, type Place } from "./path";

/** The points of a path of M, l and z, and where it is closed, as a browser draws it. */
function drawn(path: string): (Place | "z")[] {
  const points: (Place | "z")[] = [];
  for (const [, command, text = ""] of path.matchAll(/([Mlz])([^Mlz]*)/g)) {
    const numbers = text.match(/-?\d+/g)?.map(Number) ?? [];
    if (command === "z") points.push("z");
    for (let index = 0; index + 1 < numbers.length; index += 2) {
      const [x, y] = (command === "l" ? points.at(-1) : [0, 0]) as Place;
      points.push([x + (numbers[index] ?? 0), y + (numbers[index + 1] ?? 0)]);
    }
  }
  return points;
}

test("lines and areas run through their points with gaps, and single points are dots", () => {
  const run: Place[] = [
    [3, 40],
    [9, -2],
    [15, 7],
    [15, 7],
  ];
  expect(drawn(linePath([run, [[30, 1]]]))).toEqual([...run, [30, 1], "z"]);
  const lower: Place[] = run.map(([x, y]) => [x, y + 5]);
  expect(drawn(areaPath([[run, lower]]))).toEqual([...run, ...lower.toReversed(), "z"]);
  expect(linePath([run])).toBe("M3 40l 6-42 6 9 0 0");
  expect([linePath([]), areaPath([])]).toEqual(["", ""]);
});
