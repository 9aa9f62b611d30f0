import type { ChartPoint } from "./series";

/** The points of a line that are joined with each other: those that are at most `gap` (ms) apart. */
export function runsOf(points: readonly ChartPoint[], gap: number): ChartPoint[][] {
  const runs: ChartPoint[][] = [];
  let before = Number.NEGATIVE_INFINITY;
  for (const point of points) {
    if (point.at - before > gap) runs.push([]);
    runs.at(-1)?.push(point);
    before = point.at;
  }
  return runs;
}
