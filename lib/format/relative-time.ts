import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { wallClock, zoneOffset } from "@/lib/format/time-zone";

const UNITS = [
  ["year", 365 * DAY],
  ["month", 30 * DAY],
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
  ["second", SECOND],
] as const;
const SMALLEST = ["second", SECOND] as const;

const JUST_NOW = 10 * SECOND;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "always" });
/** Written out here: runtimes do not agree on September. */
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "3 minutes ago", "in 5 days", "just now". What is past is rounded down, what is to come to the nearest. */
export function relativeTime(at: Date, now: Date): string {
  const distance = at.getTime() - now.getTime();
  if (Math.abs(distance) < JUST_NOW) return "just now";
  const [unit, size] = UNITS.find(([, size]) => Math.abs(distance) >= size) ?? SMALLEST;
  return relative.format(distance < 0 ? -Math.floor(-distance / size) : Math.round(distance / size), unit);
}

/**
 * How far off the day of an end is: "today", "tomorrow", "in 5 days", "in 3 months", "in 1 year". What ends on the
 * fifth day from now ends in five days, whatever the hour. Days are those of the zone, as dateText writes them.
 */
export function untilText(at: Date, now: Date, zone: string): string {
  const days = dayNumber(at, zone) - dayNumber(now, zone);
  if (days <= 0) return "today";
  if (days === 1) return "tomorrow";
  if (days < 60) return relative.format(days, "day");
  // Twelve months are a year, and eighteen are not yet two.
  const months = Math.round(days / 30.44);
  return months < 12 ? relative.format(months, "month") : relative.format(Math.floor((days + 15) / 365), "year");
}

/** "20 Nov 2026" in the zone. */
export function dateText(at: Date, zone: string): string {
  const { year, month, day } = wallClock(at.getTime(), zone);
  return `${day} ${MONTHS[month - 1]} ${year}`;
}

/** "20 Nov" in the zone. */
export function dayText(at: Date, zone: string): string {
  const { month, day } = wallClock(at.getTime(), zone);
  return `${day} ${MONTHS[month - 1]}`;
}

/** "Nov 2026" in the zone. */
export function monthText(at: Date, zone: string): string {
  return dateText(at, zone).replace(/^\d+ /, "");
}

/** "12:03" in the zone. */
export function clockText(at: Date, zone: string): string {
  const { hour, minute } = wallClock(at.getTime(), zone);
  return `${twoDigits(hour)}:${twoDigits(minute)}`;
}

/** "20 Nov, 12:03" in the zone. */
export function momentText(at: Date, zone: string): string {
  return `${dayText(at, zone)}, ${clockText(at, zone)}`;
}

/** "20 Nov 2026, 12:03:44 UTC", "20 Nov 2026, 13:03:44 UTC+1". */
export function instantText(at: Date, zone: string): string {
  const { second } = wallClock(at.getTime(), zone);
  return `${dateText(at, zone)}, ${clockText(at, zone)}:${twoDigits(second)} ${offsetText(at, zone)}`;
}

function offsetText(at: Date, zone: string): string {
  const minutes = zoneOffset(at.getTime(), zone) / MINUTE;
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  if (minutes === 0) return "UTC";
  return `UTC${minutes < 0 ? "−" : "+"}${hours}${rest > 0 ? `:${twoDigits(Math.floor(rest))}` : ""}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** Days of the calendar since 1970. */
function dayNumber(at: Date, zone: string): number {
  return Math.floor((at.getTime() + zoneOffset(at.getTime(), zone)) / DAY);
}

/** How long something has lasted, rounded down, in days at the most: "3 minutes", "45 days". */
export function durationText(ms: number): string {
  const [unit, size] = UNITS.find(([, size]) => size <= DAY && ms >= size) ?? SMALLEST;
  return countText(Math.floor(ms / size), unit);
}

/** As `durationText`, for a line with little room: "3 min", "14 h", "45 days". */
export function shortDurationText(ms: number): string {
  return durationText(Math.max(MINUTE, ms))
    .replace(/ hours?$/, " h")
    .replace(/ minutes?$/, " min");
}

/** How long to wait, rounded up, so that this is always long enough: "45 seconds", "3 minutes". */
export function waitText(ms: number): string {
  const [unit, size] = ms > MINUTE ? (["minute", MINUTE] as const) : (["second", SECOND] as const);
  return countText(Math.max(1, Math.ceil(ms / size)), unit);
}

function countText(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
