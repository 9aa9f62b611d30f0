/** Durations in milliseconds. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The instant at which the hour of another begins; both in epoch milliseconds. */
export function startOfHour(time: number): number {
  return Math.floor(time / HOUR) * HOUR;
}
