import { DAY } from "@/lib/format/time";

/** What a clock on the wall shows. `month` counts from 1. */
type WallClock = { year: number; month: number; day: number; hour: number; minute: number; second: number };

const formats = new Map<string, Intl.DateTimeFormat>();

/** The name as the runtime writes it, or null if it is not the name of a zone: "europe/berlin" is Europe/Berlin. */
export function findZone(name: string): string | null {
  // An offset such as "+01:00" is not a zone: it knows nothing of summer time.
  if (!/^[a-z][\w+/-]{1,63}$/i.test(name)) return null;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** The zone of that name; UTC for a name that this runtime does not know. */
export function zoneOrUtc(name: string): string {
  return findZone(name) ?? "UTC";
}

/** The name of a zone as people read it: "America/New York". */
export function zoneText(zone: string): string {
  return zone.replaceAll("_", " ");
}

/** What the clocks of a zone show at an instant (epoch ms). @throws RangeError for an unknown zone. */
export function wallClock(at: number, zone: string): WallClock {
  // A page of charts asks hundreds of times, and most accounts are in UTC: a format takes ten times as long.
  if (zone === "UTC" && at >= 0) return utcClock(new Date(at));
  const numbers = formatOf(zone).format(at).match(/\d+/g) ?? [];
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = numbers.map(Number);
  return { year, month, day, hour, minute, second };
}

function utcClock(at: Date): WallClock {
  return {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
  };
}

/** How far the clocks of a zone are ahead of UTC at an instant (epoch ms), in milliseconds. */
export function zoneOffset(at: number, zone: string): number {
  return asUtc(wallClock(at, zone)) - Math.floor(at / 1000) * 1000;
}

/**
 * The instants (epoch ms) at which the clocks of a zone show this, in order: two when they are put back over it, none when
 * they are put forward past it.
 */
export function instantsOf(clock: WallClock, zone: string): number[] {
  const shown = asUtc(clock);
  return candidates(shown, zone).filter((at) => asUtc(wallClock(at, zone)) === shown);
}

/**
 * The instant (epoch ms) at which the clocks of a zone show this; the first of two when they are put back, and what they
 * show an hour later when they are put forward past it.
 */
export function instantOf(clock: WallClock, zone: string): number {
  const shown = asUtc(clock);
  return instantsOf(clock, zone)[0] ?? candidates(shown, zone).at(-1) ?? shown;
}

/** What clocks show, read with the offset of the day before and with that of the day after. */
function candidates(shown: number, zone: string): number[] {
  const [before, after] = [shown - zoneOffset(shown - DAY, zone), shown - zoneOffset(shown + DAY, zone)];
  return before === after ? [before] : [before, after].sort((a, b) => a - b);
}

function asUtc({ year, month, day, hour, minute, second }: WallClock): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

const DATE = { year: "numeric", month: "numeric", day: "numeric" } as const;
const CLOCK = { hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" } as const;

/** Writes "11/22/2026, 13:00:05". Of languages, English is the one that every runtime has. */
function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", { timeZone: zone, ...DATE, ...CLOCK });
    formats.set(zone, format);
  }
  return format;
}
