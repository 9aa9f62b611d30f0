import type { ChartPoint } from "./series";

/**
 * The points of a line, packed for the script to keep the page small. Each point has four integers: the distance to the
 * previous point (hundredths of a step), the mean, the mean minus the least value, and the greatest value minus the mean.
 * They are one text: React would look at each of a page's 26,000 numbers twice, which takes longer than drawing them.
 */
export type PackedPoints = { scale: number; numbers: string };

/** `step` is the length (ms) of most distances between points. */
export function packPoints(points: readonly ChartPoint[], from: number, step: number): PackedPoints {
  const top = points.reduce((most, { greatest }) => Math.max(most, greatest), 0);
  // Three digits, as the pages write numbers.
  const scale = top >= 100 ? 1 : top >= 10 ? 10 : 100;
  const whole = (value: number) => Math.round(value * scale);
  let before = 0;
  let numbers = "";
  for (const { at, least, mean, greatest } of points) {
    const time = Math.round(((at - from) / step) * 100);
    const middle = whole(mean);
    if (numbers !== "") numbers += ",";
    numbers += `${time - before},${middle},${middle - whole(least)},${whole(greatest) - middle}`;
    before = time;
  }
  return { scale, numbers };
}

export function unpackPoints({ scale, numbers: text }: PackedPoints, from: number, step: number): ChartPoint[] {
  const numbers = text === "" ? [] : text.split(",").map(Number);
  const points: ChartPoint[] = [];
  let time = 0;
  for (let index = 0; index + 3 < numbers.length; index += 4) {
    const [since = 0, mean = 0, below = 0, above = 0] = numbers.slice(index, index + 4);
    time += since;
    points.push({
      at: Math.round(from + (time / 100) * step),
      least: (mean - below) / scale,
      mean: mean / scale,
      greatest: (mean + above) / scale,
    });
  }
  return points;
}
