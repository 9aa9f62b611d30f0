import { expect, test } from "vitest";
import { packPoints } from "./pack-points";
import { unpackPoints } from "./packed-points";

const FROM = Date.UTC(2026, 10, 22);
const STEP = 600_000;

test("points are unpacked as they were, to the written digits, gaps included", () => {
  for (const [factor, digits] of [
    [0.031, 2],
    [0.47, 1],
    [9.3, 0],
    [5.3e7, -6],
  ] as const) {
    const points = [0.5, 1.5, 7.5, 7.92].map((time, index) => ({
      at: FROM + time * STEP,
      least: index * factor,
      mean: (index + 40) * factor,
      greatest: 100 * factor,
    }));
    const unpacked = unpackPoints(packPoints(points, FROM, STEP), FROM, STEP);
    expect(unpacked.map(({ at }) => at)).toEqual(points.map(({ at }) => at));
    for (const [index, point] of unpacked.entries()) {
      for (const key of ["least", "mean", "greatest"] as const) {
        expect(point[key]).toBeCloseTo(points[index]?.[key] ?? Number.NaN, digits);
      }
    }
  }
});
