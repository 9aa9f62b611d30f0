import { dateText, durationText, momentText } from "./relative-time";
import { DAY, HOUR, instantParam, MINUTE } from "./time";
import { instantOf, instantsOf, wallClock, zoneText } from "./time-zone";

// The parameters `from` and `to` of pages with charts. A URL that a page writes has instants in UTC, such as
// 2026-11-22T13:00Z, and means the same to everybody. A form sends what the clocks of the account show, without the Z.

/** A time in epoch milliseconds. */
export type TimeRange = { from: number; to: number };

/** How much earlier (ms) the time is that another is compared with. */
const COMPARISONS = { "1d": DAY, "7d": 7 * DAY, "28d": 28 * DAY } as const;
export type Comparison = keyof typeof COMPARISONS;
export const COMPARISON_NAMES = Object.keys(COMPARISONS) as Comparison[];

/** The comparison that a query names; null for anything else. */
export function parseComparison(text: unknown): Comparison | null {
  return COMPARISON_NAMES.find((name) => name === text) ?? null;
}

/** The time that a comparison sets beside another, and how much earlier it is. */
export function comparedRange({ from, to }: TimeRange, comparison: Comparison): TimeRange & { by: number } {
  const by = COMPARISONS[comparison];
  return { from: from - by, to: to - by, by };
}

/** A line of a chart of any time has at most so many points. */
export const MOST_POINTS = 1000;
/** How long a point may last: what people count time in. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 4, 6, 12, 24].map((hours) => hours * HOUR),
];

/** How long (ms) each point of a chart of so much time lasts, `least` or longer. */
export function stepOf(length: number, least: number): number {
  const step = STEPS.find((each) => each >= least && length / each <= MOST_POINTS);
  return step ?? Math.ceil(length / MOST_POINTS / DAY) * DAY;
}

/** The whole steps that a time lies in: counted from the epoch, one at least. */
export function inSteps({ from, to }: TimeRange, step: number): TimeRange {
  const end = Math.ceil(to / step) * step;
  return { from: Math.min(Math.floor(from / step) * step, end - step), to: end };
}

/** Where the point of a step stands that begins at `at` (epoch ms): in the middle of what of it is over at `until`. */
export function middleOfStep(at: number, step: number, until: number): number {
  return Math.min(at + step / 2, (at + until) / 2);
}

/** Fewer minutes have too few values to draw. */
export const SHORTEST_RANGE = 5 * MINUTE;

/** The parameters of a range. Each is a text, unless it is absent or repeated. */
export type RangeParams = { from?: unknown; to?: unknown };

/**
 * What a page was asked for: no range of its own; a range, with notes about it; or a wrong one, with the reason and what the
 * fields show. `exact`: the parameters that mean the same in every zone, where those of the query do not
 * and there is nothing to say of them.
 */
export type AskedRange =
  | { kind: "none" }
  | { kind: "range"; range: TimeRange; notes: string[]; exact: { from: string; to: string } | null }
  | { kind: "refused"; message: string; fields: { from: string; to: string } };

/** `now` is in epoch milliseconds. What is older than `keptDays` is deleted. `what` is kept: "Hourly sums are". */
export type RangeRules = { zone: string; now: number; keptDays: number; what: string };

/** The times of a form's two fields, whenever they are. `fields`: what they show again. */
export function parseTimes(params: RangeParams, zone: string) {
  const [from, to] = [parseMoment(params.from, zone), parseMoment(params.to, zone)];
  const fieldOf = (moment: Moment | null) => (moment ? clockField(moment.first, zone) : "");
  const fields = { from: fieldOf(from), to: fieldOf(to) };
  const refuse = (message: string) => ({ kind: "refused" as const, message, fields });
  if (from === null || to === null) return refuse("Enter both times, each with a date and a time.");
  // The whole of an hour that the clocks show twice.
  const range = { from: from.first, to: to.last };
  if (range.from > range.to) return refuse("This time ends before it begins.");
  return { kind: "range" as const, range, fields, from, to, refuse };
}

/** The range that a query asks for, within the time of which something is kept. */
export function parseRange(params: RangeParams, { zone, now, keptDays, what }: RangeRules): AskedRange {
  if (params.from === undefined && params.to === undefined) return { kind: "none" };
  const times = parseTimes(params, zone);
  if (times.kind === "refused") return times;
  const { range: asked, from, to, refuse } = times;
  if (asked.from >= now) return refuse("This time has not come yet.");
  const earliest = now - keptDays * DAY;
  if (asked.to <= earliest) {
    return refuse(`${what} kept for ${keptDays} days: there is no data before ${dateText(new Date(earliest), zone)}.`);
  }
  const clockNotes = [clockNote(from, zone, "begins with the first"), clockNote(to, zone, "ends with the second")];
  const notes = clockNotes.filter((note) => note !== null);
  const exact = notes.length > 0 || (from.isExact && to.isExact) ? null : rangeParams(asked);
  const range = { from: Math.max(asked.from, earliest), to: Math.min(asked.to, now) };
  if (range.from > asked.from) {
    notes.push(`${what} kept for ${keptDays} days: the charts begin on ${dateText(new Date(earliest), zone)}.`);
  }
  if (asked.to > now + MINUTE) notes.push("The rest of this time has not come yet.");
  if (range.to - range.from < SHORTEST_RANGE) {
    range.to = Math.min(now, (range.from + range.to + SHORTEST_RANGE) / 2);
    range.from = range.to - SHORTEST_RANGE;
    notes.push(`The charts show ${durationText(SHORTEST_RANGE)}: a shorter time has too few values.`);
  }
  return { kind: "range", range, notes, exact };
}

/** The parameters of a range, as the URLs of pages have them. */
export function rangeParams({ from, to }: TimeRange): { from: string; to: string } {
  return { from: instantParam(from), to: instantParam(to) };
}

/** What a field for a date and a time holds: "2026-11-22T14:00", by the clocks of the zone. */
export function clockField(at: number, zone: string): string {
  const { year, month, day, hour, minute } = wallClock(at, zone);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}`;
}

/** The last time of such a field. Without a last one the year has six digits, and browsers take those of the time for it. */
export const LAST_CLOCK_FIELD = "9999-12-31T23:59";

/** `first` and `last` differ where the clocks show a time twice. `typed`: what they show, read as UTC. */
type Moment = { typed: number; first: number; last: number; isExact: boolean; timesShown: number };

const MOMENT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:\.\d{1,3})?)?(Z)?$/;

/** Years that clocks of zones are asked about. Beyond them a day more or less makes no difference. */
const YEARS = { first: 1971, last: 2999 };

function parseMoment(param: unknown, zone: string): Moment | null {
  const [, date, clock, second = "00", isUtc] = (typeof param === "string" && MOMENT.exec(param)) || [];
  const text = `${date}T${clock}:${second}`;
  const typed = Date.parse(`${text}Z`);
  // `Date.parse` takes the 31st of April for the 1st of May, and 24:00 for the next day.
  if (Number.isNaN(typed) || !new Date(typed).toISOString().startsWith(text)) return null;
  const shown = wallClock(typed, "UTC");
  if (isUtc || shown.year < YEARS.first || shown.year > YEARS.last) {
    return { typed, first: typed, last: typed, isExact: true, timesShown: 1 };
  }
  const instants = instantsOf(shown, zone);
  const [first = instantOf(shown, zone), last = first] = instants;
  return { typed, first, last, isExact: false, timesShown: instants.length };
}

/** Says how a time is read that the clocks of the zone show twice, or never. */
function clockNote({ typed, first, timesShown }: Moment, zone: string, twice: string): string | null {
  const text = momentText(new Date(typed), "UTC");
  if (timesShown === 2) return `The clocks of ${zoneText(zone)} showed ${text} twice: the time shown ${twice}.`;
  if (timesShown === 0) {
    return `The clocks of ${zoneText(zone)} never showed ${text}: it is read as ${momentText(new Date(first), zone)}.`;
  }
  return null;
}
