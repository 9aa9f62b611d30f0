/** What was seen within one step of time. `at` is the middle of the step in epoch milliseconds. */
export type ChartPoint = {
  at: number;
  least: number;
  mean: number;
  greatest: number;
  /** How many values the mean sums up; 1 when absent. */
  count?: number;
};

/** One line of a chart, in the order of time. */
export type ChartSeries = {
  name: string;
  points: readonly ChartPoint[];
  /** The last value, where it is known better than as the mean of the last point. */
  last?: number | undefined;
  /** What is said of the line, for example "highest 22 Nov, 14:21", and when that was (epoch ms). */
  remark?: { text: string; at: number } | undefined;
  /** The same line at an earlier time, at the times of this one; `gap` as that of the chart. */
  earlier?: { points: readonly ChartPoint[]; gap: number } | undefined;
};

/** Points taken together, from the least to the greatest of all; undefined: there are none. */
export function sumOf(points: readonly ChartPoint[]): Omit<Required<ChartPoint>, "at"> | undefined {
  if (points.length === 0) return undefined;
  const sum = { least: Number.POSITIVE_INFINITY, mean: 0, greatest: Number.NEGATIVE_INFINITY, count: 0 };
  // Changed in place: a page has thousands of points.
  for (const { least, mean, greatest, count = 1 } of points) {
    const all = sum.count + count;
    sum.least = Math.min(sum.least, least);
    sum.mean = all > 0 ? (sum.mean * sum.count + mean * count) / all : 0;
    sum.greatest = Math.max(sum.greatest, greatest);
    sum.count = all;
  }
  return sum;
}
