import type { ChartPoint } from "./series";

/**
 * The points of a line as texts, which keep the page small and which React looks at once each: a page has thousands of points.
 * `times`: the distance of each point to the one before in hundredths of a step, "100*719" for 719 equal ones. `values`: whole
 * numbers of `unit`, three columns of them: the means, how far the least values are below them, and the greatest above. Each is
 * written with `width` digits of the base of its column, the least with which the greatest number has room: small digits are
 * short once they are compressed. The digits of one place stand together, the greatest place first, because they are alike.
 */
export type PackedPoints = { times: string; unit: number; width: number; bases: readonly number[]; values: string };

/** As many as `DIGITS`. */
const MOST_BASE = 36;

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
  const most = columns.map((numbers) => numbers.reduce((most, number) => Math.max(most, number), 0));
  let width = 1;
  while (most.some((number) => number >= MOST_BASE ** width)) width++;
  const bases = most.map((number) => baseOf(number, width));
  const values = columns.map((numbers, column) => digitsOf(numbers, bases[column] ?? MOST_BASE, width)).join("");
  return { times: timesOf(points, from, step), unit, width, bases, values };
}

/** The least base in which a number has so many digits. */
function baseOf(number: number, width: number): number {
  let base = 2;
  while (base ** width <= number) base++;
  return base;
}

export function unpackPoints(packed: PackedPoints, from: number, step: number): ChartPoint[] {
  const { times, unit, width, bases, values } = packed;
  const points: ChartPoint[] = [];
  const count = values.length / 3 / width;
  const [means, below, above] = bases.map((base, column) => {
    const numbers = new Array<number>(count).fill(0);
    for (let place = 0; place < width; place++) {
      const start = (column * width + place) * count;
      for (let index = 0; index < count; index++) {
        numbers[index] = (numbers[index] ?? 0) * base + digitOf(values.charCodeAt(start + index));
      }
    }
    return numbers;
  });
  let time = 0;
  for (const run of times === "" ? [] : times.split(",")) {
    const [distance = 0, repeated = 1] = run.split("*").map(Number);
    for (let left = repeated; left > 0; left--) {
      time += distance;
      const index = points.length;
      const mean = means?.[index] ?? 0;
      points.push({
        at: Math.round(from + (time / 100) * step),
        least: (mean - (below?.[index] ?? 0)) * unit,
        mean: mean * unit,
        greatest: (mean + (above?.[index] ?? 0)) * unit,
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

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
const digits = new TextEncoder().encode(DIGITS);
const texts = new TextDecoder();

/** By bytes: a text that grows digit by digit is thousands of texts. */
function digitsOf(numbers: readonly number[], base: number, width: number): string {
  const written = new Uint8Array(numbers.length * width);
  let index = 0;
  for (let place = width - 1; place >= 0; place--) {
    const unit = base ** place;
    for (const number of numbers) written[index++] = digits[Math.floor(number / unit) % base] ?? 0;
  }
  return texts.decode(written);
}

/** The digit that a character of `DIGITS` stands for. */
function digitOf(code: number): number {
  return code < 58 ? code - 48 : code - 87;
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
