import { type InvalidField, invalid } from "@/lib/failures";
import { DAY, SECOND } from "@/lib/format/time";
import { instantOf, wallClock } from "@/lib/format/time-zone";

/** The numbers of days that the form offers, besides no end and a date. */
export const EXPIRY_DAYS = [7, 30, 90, 365] as const;
export const NO_EXPIRY = "none";
export const EXPIRY_ON_DATE = "date";

/** The last end that a date field and PostgreSQL's text of four digits can say, in each zone. */
const LAST_END = new Date("9999-12-31T23:59:59Z");

/** An end that is not after the last one that can be written. */
export const noLaterThanLast = (end: Date) => (end > LAST_END ? LAST_END : end);

type CheckedExpiry = { kind: "valid"; expiresAt: Date | null } | InvalidField<"expiry" | "date">;

type Clock = { now: Date; zone: string };

/** When a token that is created now expires; null for never. A date means the end of that day in the zone. */
export function checkTokenExpiry(choice: string, date: string, { now, zone }: Clock): CheckedExpiry {
  if (choice === NO_EXPIRY) return { kind: "valid", expiresAt: null };
  if (choice === EXPIRY_ON_DATE) return checkLastDay(date, { now, zone });
  const days = EXPIRY_DAYS.find((known) => String(known) === choice);
  if (!days) return invalid("expiry", "Choose when the token expires.");
  return { kind: "valid", expiresAt: new Date(now.getTime() + days * DAY) };
}

/** "2026-11-20" in the zone, as a date field writes it. */
export function dayOf(at: Date, zone: string): string {
  const { year, month, day } = wallClock(at.getTime(), zone);
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, "2026-11-20".length);
}

function checkLastDay(text: string, { now, zone }: Clock): CheckedExpiry {
  const start = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  // A 30th of February is read as a day in March.
  if (!start || Number.isNaN(start.getTime()) || dayOf(start, "UTC") !== text) {
    return invalid("date", "Enter the last day on which the token works.");
  }
  const nextMidnight = instantOf(wallClock(start.getTime() + DAY, "UTC"), zone);
  const end = noLaterThanLast(new Date(nextMidnight - SECOND));
  return end > now
    ? { kind: "valid", expiresAt: end }
    : invalid("date", "That day is over. Enter a day from today on.");
}
