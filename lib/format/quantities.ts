// One rule for every number that a page shows: whole from a hundred on, one decimal below it, two below one, no idle
// zeros, thousands grouped; and a unit that people read.

/**
 * `megabytes` are 2^20 bytes, as operating systems report memory; `bytes` are those of traffic, whose units are powers of
 * 1,000; `points` are those of a score.
 */
export type Unit = "percent" | "points" | "megabytes" | "bytes" | "milliseconds" | "number";

const MILLION = 1_000_000;

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** "22.6", "0.43", "5,597". What is not zero is not written as zero, and what is nearly a hundred not as a hundred. */
export function decimal(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return grouped.format(value);
  if (size > 99.9) return value > 0 ? "99.9" : "-99.9";
  const places = size >= 0.995 ? 10 : 100;
  const rounded = Math.round(value * places) / places;
  if (rounded === 0 && value !== 0) return value > 0 ? "< 0.01" : "> -0.01";
  return String(rounded);
}

/** "22.6 %". */
export function percent(value: number): string {
  return `${decimal(value)} %`;
}

const MEMORY_UNITS = ["MiB", "GiB", "TiB", "PiB"];
const TRAFFIC_UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

/** "512 MiB", "5.5 GiB". */
export function megabytes(value: number): string {
  return scaled(value, MEMORY_UNITS, 1024);
}

/** "5.5 of 23.5 GiB". */
export function megabytesOf(part: number, whole: number): string {
  const total = megabytes(whole);
  const [, unit = ""] = total.split(" ");
  const factor = 1024 ** MEMORY_UNITS.indexOf(unit);
  return `${decimal(part / factor)} of ${total}`;
}

/** A value with its unit. */
export function quantity(value: number, unit: Unit): string {
  switch (unit) {
    case "percent":
      return percent(value);
    case "points":
      return String(Math.round(value));
    case "megabytes":
      return megabytes(value);
    case "bytes":
      return scaled(value, TRAFFIC_UNITS, 1000);
    case "milliseconds":
      return `${decimal(value)} ms`;
    case "number":
      return value >= MILLION - 500 ? `${decimal(value / MILLION)} M` : decimal(value);
  }
}

/** A text whose numbers stay with their units where a line ends. */
export function unbroken(text: string): string {
  return text.replace(/(?<=\d) (?=(?:%|k?B|[KMGTP]i?B|ms)(?!\w))/g, "\u00a0");
}

/** What the round numbers of a scale up to `top` are multiples of. Memory is counted by powers of 1,024. */
export function scaleBase(top: number, unit: Unit): number {
  return unit === "megabytes" ? 1024 ** Math.max(0, Math.floor(Math.log2(top) / 10)) : 1;
}

/** What stands at the lines of a scale: all in the unit of the greatest. */
export function scaleTexts(values: readonly number[], unit: Unit): string[] {
  const isOfMillions = unit === "number" && Math.max(...values) >= MILLION;
  return values.map((value) => (isOfMillions && value !== 0 ? `${decimal(value / MILLION)} M` : quantity(value, unit)));
}

/** "1 server", "1,204 servers". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped.format(count)} ${count === 1 ? one : many}`;
}

function scaled(value: number, units: readonly string[], base: number): string {
  let rest = value;
  let index = 0;
  // What would be written as the base is one of the next unit.
  while (Math.abs(rest) >= base - 0.5 && index < units.length - 1) {
    rest /= base;
    index++;
  }
  return `${decimal(rest)} ${units[index]}`;
}
