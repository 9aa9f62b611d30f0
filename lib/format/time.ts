/** Durations in milliseconds. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The instant at which the hour of another begins; both in epoch milliseconds. */
export function startOfHour(time: number): number {
  return Math.floor(time / HOUR) * HOUR;
}

/** An instant (epoch ms) as the URLs of pages have it: "2026-11-22T13:00Z", with seconds where there are any. */
export function instantParam(at: number): string {
  return new Date(at).toISOString().replace(/(?::00)?\.\d{3}Z$/, "Z");
}
