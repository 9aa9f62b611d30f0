// Randomness without state: each number depends on its keys alone, so that the simulator continues the very curves that
// the seed began, in whatever order and however often a moment is asked for.

/** Another number makes another demo of the same kind. */
const SEED = 1;

/** A number in [0, 1). Keys are whole numbers. */
export function randomAt(...keys: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const key of [SEED, ...keys]) {
    hash = Math.imul(hash ^ key, 0x85ebca6b);
    hash ^= hash >>> 13;
    hash = Math.imul(hash, 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return (hash >>> 0) / 2 ** 32;
}

/** A text as a key (FNV-1a, 32 bits). */
export function keyOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}

/** A smooth random curve in [0, 1) over time that takes a new direction every `period` (in the unit of `time`). */
export function wanderAt(time: number, period: number, ...keys: readonly number[]): number {
  const knot = Math.floor(time / period);
  const part = time / period - knot;
  const smooth = part * part * (3 - 2 * part);
  return between([randomAt(...keys, knot), randomAt(...keys, knot + 1)], smooth);
}

export type Range = readonly [low: number, high: number];

/** The value at a part (0 to 1) of the way from low to high. */
export function between([low, high]: Range, part: number): number {
  return low + (high - low) * part;
}

/** Something that happens now and then: at most once per slot of time, wholly inside the slot. */
export type Episodes = {
  /** Length of a slot. Times are in the unit of `time`. */
  slot: number;
  /** How likely a slot has an episode, 0 to 1. */
  chance: number;
  lasts: Range;
};

/** How far into an episode (0 to 1) the time lies, and the slot's number; null outside every episode. */
export function episodeAt(
  { slot, chance, lasts }: Episodes,
  time: number,
  ...keys: readonly number[]
): { part: number; slot: number } | null {
  const number = Math.floor(time / slot);
  if (randomAt(...keys, number, 1) >= chance) return null;
  const length = between(lasts, randomAt(...keys, number, 2));
  const start = number * slot + (slot - length) * randomAt(...keys, number, 3);
  const part = (time - start) / length;
  return part >= 0 && part < 1 ? { part, slot: number } : null;
}

/** How far the day has come towards its busiest hour: 0 at eight in the morning, 1 at eight in the evening. */
export function eveningAt(hourOfDay: number): number {
  return (1 + Math.cos(((hourOfDay - 20) / 24) * 2 * Math.PI)) / 2;
}
