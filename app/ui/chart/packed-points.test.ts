import { deflateRawSync } from "node:zlib";
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

test("a thousand noisy points compress to at most 28 bits a point", () => {
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const points = Array.from({ length: 1000 }, (_, index) => {
    const mean = 20 + 43 * random();
    return { at: FROM + (index + 0.5) * STEP, least: mean - 13 * random(), mean, greatest: mean + 5 + 32 * random() };
  });
  const { values, bases, width } = packPoints(points, FROM, STEP);
  const levels = [430, 130, 370];
  expect(levels.map(Math.log2).reduce((sum, bits) => sum + bits)).toBeLessThan(26);
  expect((deflateRawSync(values).length * 8) / points.length).toBeLessThan(28);
  // Two digits each, and no more of them than the greatest number needs.
  expect({ width, bases }).toEqual({ width: 2, bases: [26, 12, 20] });
});
