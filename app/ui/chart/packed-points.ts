import type { ChartPoint } from "./series";

/**
 * The points of a line as texts, which keep the page small and which React looks at once each: a page has thousands of points.
 * `times`: the distance of each point to the one before in hundredths of a step, "100*719" for 719 equal ones. `values`: whole
 * numbers of `unit`, with `width` digits of base 36 each: the means, how far the least values are below them, and the greatest above.
 * The digits of one place stand together, the greatest place first, because they are alike.
 */
export type PackedPoints = { times: string; unit: number; width: number; values: string };

const BASE = 36;

/** `step` is the length (ms) of most distances between points. */
export function packPoints(points: readonly ChartPoint[], from: number, step: number): PackedPoints {
  const top = points.reduce((most, { greatest }) => Math.max(most, greatest), 0);
  const unit = unitOf(top);
  const whole = (value: number) => Math.round(value / unit);
  const columns = [
    points.map(({ mean }) => whole(mean)),
    points.map(({ mean, least }) => Math.max(0, whole(mean) - whole(least))),
    points.map(({ mean, greatest }) => Math.max(0, whole(greatest) - whole(mean))),
  ];
  let width = 1;
  while (BASE ** width <= whole(top)) width++;
  const values = columns.map((numbers) => digitsOf(numbers, width)).join("");
  return { times: timesOf(points, from, step), unit, width, values };
}

export function unpackPoints({ times, unit, width, values }: PackedPoints, from: number, step: number): ChartPoint[] {
  const points: ChartPoint[] = [];
  const count = values.length / 3 / width;
  const read = (column: number, index: number) => {
    let value = 0;
    for (let place = 0; place < width; place++) {
      value = value * BASE + Number.parseInt(values.charAt((column * width + place) * count + index), BASE);
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

/** What the numbers are multiples of: two or three digits of the greatest, as the pages write numbers. */
function unitOf(top: number): number {
  if (top > 100) return 10 ** Math.max(0, Math.floor(Math.log10(top)) - 3);
  return top >= 10 ? 0.1 : 0.01;
}

function digitsOf(numbers: readonly number[], width: number): string {
  let text = "";
  for (let place = width - 1; place >= 0; place--) {
    const unit = BASE ** place;
    for (const number of numbers) text += (Math.floor(number / unit) % BASE).toString(BASE);
  }
  return text;
}

function timesOf(points: readonly ChartPoint[], from: number, step: number): string {
  const runs: { distance: number; count: number }[] = [];
  let before = 0;
  for (const { at } of points) {
    const time = Math.round(((at - from) / step) * 100);
    const last = runs.at(-1);
    if (last?.distance === time - before) last.count++;
    else runs.push({ distance: time - before, count: 1 });
    before = time;
  }
  return runs.map(({ distance, count }) => (count > 1 ? `${distance}*${count}` : distance)).join();
}
