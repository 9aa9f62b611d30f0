import { SECOND } from "@/lib/format/time";
import { perProcess } from "@/lib/process/per-process.mjs";
import { Expression } from "./tables";

/** PostgreSQL's time of a statement, for a statement that runs anyway. Its value belongs to `noteDatabaseTime`. */
export const DATABASE_TIME = new Expression<Date>("now()", "instant");

const noted = perProcess("database-time", () => ({ last: null as { ms: number; at: number } | null }));

/** Takes in what time PostgreSQL has just said it is, in epoch milliseconds. */
export function noteDatabaseTime(ms: number): void {
  // An answer that was longer on its way says less than the one before, unless somebody set the clock.
  const known = databaseTime();
  const isSlower = known !== null && Math.abs(ms - known) < SECOND && ms < known;
  if (!isSlower) noted.last = { ms, at: performance.now() };
}

/**
 * PostgreSQL's time by the last statement that told it, in epoch milliseconds; null before the first one. The clock of this
 * machine has no part in it.
 */
export function databaseTime(): number | null {
  return noted.last && Math.floor(noted.last.ms + performance.now() - noted.last.at);
}

/** As `databaseTime`; before a statement told it, the time of this machine. */
export function databaseNow(): Date {
  return new Date(databaseTime() ?? Date.now());
}
