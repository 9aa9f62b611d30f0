import type { ChartPoint } from "./series";

/**
 * The points of a line that are joined with each other: those that are at most `gap` apart. Those of a column of the picture
 * are drawn as one, where the first of them is: their extremes and their mean. Times and lengths in milliseconds.
 */
export function runsOf(points: readonly ChartPoint[], gap: number, column: number): ChartPoint[][] {
  const runs: ChartPoint[][] = [];
  let run: ChartPoint[] = [];
  let before = Number.NEGATIVE_INFINITY;
  let inColumn = 0;
  for (const point of points) {
    const last = run[run.length - 1];
    if (point.at - before > gap) {
      run = [point];
      runs.push(run);
      inColumn = 1;
    } else if (last && Math.floor(last.at / column) === Math.floor(point.at / column)) {
      const mean = last.mean + (point.mean - last.mean) / ++inColumn;
      const [least, greatest] = [Math.min(last.least, point.least), Math.max(last.greatest, point.greatest)];
      run[run.length - 1] = { at: last.at, least, mean, greatest };
    } else {
      run.push(point);
      inColumn = 1;
    }
    before = point.at;
  }
  return runs;
}
