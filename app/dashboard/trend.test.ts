import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { HOUR } from "@/lib/format/time";
import { Trend } from "./trend";

/**
 * The lines, each with its level and the heights of its points. The means are those of hours, in whose middle they stand; the
 * last point is the score of now.
 */
function draw(means: Readonly<Record<number, number>>, now: number, score: number) {
  const points = Object.entries(means).map(([hour, mean]) => ({ hour: (Number(hour) - 0.5) * HOUR, score: mean }));
  const markup = renderToStaticMarkup(
    createElement(Trend, { points, score, level: "healthy", unwellSince: Number.POSITIVE_INFINITY, now: now * HOUR }),
  );
  return [...markup.matchAll(/<path data-level="(\w+)" d="([^"]*)"/g)].map(([, level = "", d = ""]) => ({
    level,
    heights: [...d.matchAll(/,([\d.]+)/g)].map(([, y]) => Number(y)),
  }));
}

test("a trend colours each moment by its state and breaks where nothing is known", () => {
  const drawn = draw({ 0: 950, 1: 900, 2: 600, 3: 300, 4: 900, 8: 950 }, 9, 940);
  const told = drawn.map(({ level, heights }) => `${level} ${heights.length}`);
  expect(told).toEqual(["healthy 2", "strained 2", "critical 2", "healthy 2", "healthy 2"]);
});

test("a well server's trend shows small falls and reaches its lowest value", () => {
  const [well] = draw({ 0: 1000, 1: 900 }, 10, 1000);
  // Half of 800 to 1000, not a tenth of 0 to 1000.
  expect((well?.heights[1] ?? 0) - (well?.heights[0] ?? 0)).toBeGreaterThan(6);
  const low = draw({ 0: 1000, 1: 100 }, 10, 1000).flatMap(({ heights }) => heights);
  expect(Math.max(...low)).toBeLessThanOrEqual(20);
  expect(Math.max(...low) - Math.min(...low)).toBeGreaterThan(12);
});
