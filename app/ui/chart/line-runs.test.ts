import { expect, test } from "vitest";
import { runsOf } from "./line-runs";

const point = (at: number) => ({ at, least: 0, mean: 1, greatest: 2 });

test("points are joined over a gap's length at most", () => {
  const points = [point(1), point(2), point(7), point(13), point(14)];
  expect(runsOf(points, 5)).toEqual([points.slice(0, 3), points.slice(3)]);
  expect(runsOf([], 5)).toEqual([]);
});
