import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { HOUR } from "@/lib/format/time";
import { Trend } from "./trend";

type Point = readonly [hour: number, score: number];

/** The last point is the score of now; the others are the means of their hours, which stand in the middle of them. */
function draw(means: readonly Point[], [now, score]: Point): string {
  const points = means.map(([hour, mean]) => ({ hour: (hour - 0.5) * HOUR, score: mean }));
  return renderToStaticMarkup(
    createElement(Trend, { points, score, level: "healthy", unwellSince: Number.POSITIVE_INFINITY, now: now * HOUR }),
  );
}

/** The lines, each with its level and the heights of its points. */
function lines(markup: string): { level: string; heights: number[] }[] {
  return [...markup.matchAll(/<path data-level="(\w+)" d="([^"]*)"/g)].map(([, level = "", d = ""]) => ({
    level,
    heights: [...d.matchAll(/,([\d.]+)/g)].map(([, y]) => Number(y)),
  }));
}

test("a trend colours each moment by its state and breaks where nothing is known", () => {
  const drawn = lines(
    draw(
      [
        [0, 950],
        [1, 900],
        [2, 600],
        [3, 300],
        [4, 900],
        [8, 950],
      ],
      [9, 940],
    ),
  );
  expect(drawn.map(({ level, heights }) => [level, heights.length])).toEqual([
    ["healthy", 2],
    ["strained", 2],
    ["critical", 2],
    ["healthy", 2],
    ["healthy", 2],
  ]);
});

test("a well server's trend shows small falls and reaches its lowest value", () => {
  const [well] = lines(
    draw(
      [
        [0, 1000],
        [1, 900],
      ],
      [10, 1000],
    ),
  );
  const fall = (well?.heights[1] ?? 0) - (well?.heights[0] ?? 0);
  // Half of 800 to 1000, not a tenth of 0 to 1000.
  expect(fall).toBeGreaterThan(6);
  const low = lines(
    draw(
      [
        [0, 1000],
        [1, 100],
      ],
      [10, 1000],
    ),
  ).flatMap(({ heights }) => heights);
  expect(Math.max(...low)).toBeLessThanOrEqual(20);
  expect(Math.max(...low) - Math.min(...low)).toBeGreaterThan(12);
});
