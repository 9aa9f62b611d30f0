import { expect, test } from "vitest";
import { runsOf } from "./line-runs";

const point = (at: number, mean: number) => ({ at, least: mean - at, mean, greatest: mean + at });

test("points of one column are drawn as one, and gaps are not joined", () => {
  const points = [point(1, 10), point(2, 20), point(3, 60), point(4, 8), point(11, 5)];
  const runs = runsOf(points, 5, 4);
  expect(runs).toEqual([[{ at: 1, least: 9, mean: 30, greatest: 63 }, point(4, 8)], [point(11, 5)]]);
  // The cursor reads the points that it was given.
  expect(points).toEqual([point(1, 10), point(2, 20), point(3, 60), point(4, 8), point(11, 5)]);
  expect(runsOf(points, 5, 1)).toEqual([points.slice(0, 4), points.slice(4)]);
  expect(runsOf([], 5, 4)).toEqual([]);
});
