import type { ChartPoint } from "./series";

/**
 * The points of a line as texts, which keep the page small and which React looks at once each: a page has thousands of points.
 * `times`: the distance of each point to the one before in hundredths of a step, "100*719" for 719 equal ones. `values`: whole
 * numbers of `unit`, three columns of them: the means, how far the least values are below them, and the greatest above. Each is
 * written with `width` digits of the base of its column, the least with which the greatest number has room: small digits are
 * short once they are compressed. The digits of one place stand together, the greatest place first, because they are alike.
 */
export type PackedPoints = { times: string; unit: number; width: number; bases: readonly number[]; values: string };

export function unpackPoints(
  { times, unit, width, bases, values }: PackedPoints,
  from: number,
  step: number,
): ChartPoint[] {
  const points: ChartPoint[] = [];
  const count = values.length / 3 / width;
  const read = (column: number, index: number) => {
    let value = 0;
    for (let place = 0; place < width; place++) {
      const code = values.charCodeAt((column * width + place) * count + index);
      // 0 to 9, then a to z.
      value = value * (bases[column] ?? 0) + code - (code < 58 ? 48 : 87);
    }
    return value;
  };
  let time = 0;
  for (const run of times === "" ? [] : times.split(",")) {
    const [distance = 0, repeated = 1] = run.split("*").map(Number);
    for (let left = repeated; left > 0; left--) {
      time += distance;
      const index = points.length;
      const mean = read(0, index);
      points.push({
        at: Math.round(from + (time / 100) * step),
        least: (mean - read(1, index)) * unit,
        mean: mean * unit,
        greatest: (mean + read(2, index)) * unit,
      });
    }
  }
  return points;
}
