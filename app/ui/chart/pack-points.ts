import type { PackedPoints } from "./packed-points";
import type { ChartPoint } from "./series";

// Apart from `unpackPoints`, which browsers load.

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
