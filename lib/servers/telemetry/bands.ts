import { type RolledUpMeasure, rolledUpRows } from "./measurements";

/** The values that have a history: the score (0 to 1000) and the rolled-up measurements. */
export type HistoryMeasure = "score" | RolledUpMeasure;
export const HISTORY_MEASURES: readonly HistoryMeasure[] = ["score", ...rolledUpRows.map(({ measure }) => measure)];

/** The range of a measurement over a time. `count` is the number of samples that have it. */
export type Band = { least: number; mean: number; greatest: number; count: number };
export type Bands = Partial<Record<HistoryMeasure, Band>>;

/** One value of each measurement; null or absent where it was not made. */
export type HistoryValues = Partial<Record<HistoryMeasure, number | null>>;

export function bandsOf(values: HistoryValues): Bands {
  return eachMeasure((measure) => {
    const value = values[measure];
    return value === null || value === undefined ? undefined : { least: value, mean: value, greatest: value, count: 1 };
  });
}

/** Joins the bands of two times: peaks are kept, and the mean is that of all samples. */
export function merge(a: Bands, b: Bands): Bands {
  return eachMeasure((measure) => {
    const [one, other] = [a[measure], b[measure]];
    if (!one || !other) return one ?? other;
    const count = one.count + other.count;
    return {
      least: Math.min(one.least, other.least),
      mean: (one.mean * one.count + other.mean * other.count) / count,
      greatest: Math.max(one.greatest, other.greatest),
      count,
    };
  });
}

/** A band in a short form. */
type SerializedBand = readonly [least: number, mean: number, greatest: number, count: number];
/** The column of an hour, or what a statement makes in its form. */
export type SerializedBands = Partial<Record<HistoryMeasure, SerializedBand>>;

/**
 * Reads the column `bands` of an hour, or a statement's JSON of that form. Malformed bands are left out. Without zod, because
 * a chart has thousands of bands.
 */
export function parseBands(value: unknown): Bands {
  const bands = Object(value) as Record<string, unknown>;
  return eachMeasure((measure) => parseBand(bands[measure]));
}

/**
 * Reads the figures of `HISTORY_MEASURES` from a place on: the count of each, and unless that is 0 the thousandths of the least,
 * the mean and the greatest.
 */
export function parseBandsInOrder(figures: readonly number[], from: number): Bands {
  let place = from;
  const next = () => figures[place++] ?? 0;
  return eachMeasure(() => {
    const count = next();
    return count === 0 ? undefined : { least: next() / 1000, mean: next() / 1000, greatest: next() / 1000, count };
  });
}

function parseBand(band: unknown): Band | undefined {
  if (!isBand(band)) return undefined;
  const [least, mean, greatest, count] = band;
  return { least, mean, greatest, count };
}

/** Sums of what is not a number are null. */
function isBand(band: unknown): band is SerializedBand {
  return (
    Array.isArray(band) && band.length === 4 && band.every((figure) => typeof figure === "number") && band[3] !== 0
  );
}

/** The form of the column: short, and rounded to three decimals. */
export function serializeBands(bands: Bands): Record<string, number[]> {
  return Object.fromEntries(
    Object.entries(bands).map(([measure, { least, mean, greatest, count }]) => [
      measure,
      [rounded(least), rounded(mean), rounded(greatest), count],
    ]),
  );
}

function eachMeasure(band: (measure: HistoryMeasure, index: number) => Band | undefined): Bands {
  const bands: Bands = {};
  for (const [index, measure] of HISTORY_MEASURES.entries()) {
    const made = band(measure, index);
    if (made) bands[measure] = made;
  }
  return bands;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
