import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { levelOf } from "@/lib/servers/health-level";
import { Sparkline } from "./sparkline";

type Point = readonly [at: number, value: number];

function draw(points: readonly Point[]): string {
  return renderToStaticMarkup(
    createElement(Sparkline, { points, from: 0, to: 10, top: 1000, most: 800, gap: 3, levelOf, level: "healthy" }),
  );
}

/** The lines, each with its level and the heights of its points. */
function lines(markup: string): { level: string; heights: number[] }[] {
  return [...markup.matchAll(/<path data-level="(\w+)" d="([^"]*)"/g)].map(([, level = "", d = ""]) => ({
    level,
    heights: [...d.matchAll(/,([\d.]+)/g)].map(([, y]) => Number(y)),
  }));
}

test("a sparkline colours each moment by its state and breaks where nothing is known", () => {
  const drawn = lines(
    draw([
      [0, 950],
      [1, 900],
      [2, 600],
      [3, 300],
      [4, 900],
      [8, 950],
      [9, 940],
    ]),
  );
  expect(drawn.map(({ level, heights }) => [level, heights.length])).toEqual([
    ["healthy", 2],
    ["strained", 2],
    ["critical", 2],
    ["healthy", 2],
    ["healthy", 2],
  ]);
});

test("a well server's sparkline shows small falls and reaches its lowest value", () => {
  const [well] = lines(
    draw([
      [0, 1000],
      [2, 900],
      [10, 1000],
    ]),
  );
  const fall = (well?.heights[1] ?? 0) - (well?.heights[0] ?? 0);
  // Half of 800 to 1000, not a tenth of 0 to 1000.
  expect(fall).toBeGreaterThan(6);
  const low = lines(
    draw([
      [0, 1000],
      [2, 100],
      [10, 1000],
    ]),
  ).flatMap(({ heights }) => heights);
  expect(Math.max(...low)).toBeLessThanOrEqual(20);
  expect(Math.max(...low) - Math.min(...low)).toBeGreaterThan(12);
});
