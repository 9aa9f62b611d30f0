import { InvalidInputError } from "@/lib/failures";
import { DAY, SECOND } from "@/lib/time";

/** What the form offers: no end, a number of days, or a date of one's own. */
export const EXPIRY_DAYS = [7, 30, 90, 365] as const;
export const NO_EXPIRY = "none";
export const EXPIRY_ON_DATE = "date";

/**
 * When a token that is created now expires; null for never. A date means the end of that day in UTC.
 * @throws InvalidInputError saying what is wrong with the choice.
 */
export function parseTokenExpiry(choice: string, date: string, now: Date): Date | null {
  if (choice === NO_EXPIRY) return null;
  if (choice === EXPIRY_ON_DATE) return parseLastDay(date, now);
  const days = EXPIRY_DAYS.find((known) => String(known) === choice);
  if (!days) throw new InvalidInputError("Choose when the token expires.");
  return new Date(now.getTime() + days * DAY);
}

/** "2026-11-20" in UTC, as a date field writes it. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, "2026-11-20".length);
}

function parseLastDay(text: string, now: Date): Date {
  const start = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  // A 30th of February is read as a day in March.
  if (!start || Number.isNaN(start.getTime()) || dayOf(start) !== text) {
    throw new InvalidInputError("Enter the last day on which the token works, as year, month and day.");
  }
  const end = new Date(start.getTime() + DAY - SECOND);
  if (end <= now) throw new InvalidInputError("That day is over. Enter a day from today (UTC) on.");
  return end;
}
