import { SECOND } from "@/lib/format/time";
import { Expression } from "./tables";

/** PostgreSQL's time of a statement, for a statement that runs anyway. Its value belongs to `noteDatabaseTime`. */
export const DATABASE_TIME = new Expression<Date>("now()", "instant");

let noted: { ms: number; at: number } | null = null;

/** Takes in what time PostgreSQL has just said it is, in epoch milliseconds. */
export function noteDatabaseTime(ms: number): void {
  const at = performance.now();
  // An answer that was longer on its way says less than the one before, unless somebody set the clock.
  const isSlower = noted !== null && Math.abs(ms - timeAt(noted, at)) < SECOND && ms < timeAt(noted, at);
  if (!isSlower) noted = { ms, at };
}

/**
 * PostgreSQL's time by the last statement that told it, in epoch milliseconds; null before the first one. The clock of this
 * machine has no part in it.
 */
export function databaseTime(): number | null {
  return noted && timeAt(noted, performance.now());
}

/** As `databaseTime`; before a statement told it, the time of this machine. */
export function databaseNow(): Date {
  return new Date(databaseTime() ?? Date.now());
}

function timeAt({ ms, at }: { ms: number; at: number }, now: number): number {
  return Math.floor(ms + now - at);
}
