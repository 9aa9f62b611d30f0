import { InvalidInputError } from "@/lib/failures";
import { DAY, HOUR } from "@/lib/format/time";

/** How far back each range reaches, in milliseconds, the shortest first (contract 4, rule 6). */
export const RANGES = { "1h": HOUR, "24h": DAY, "7d": 7 * DAY } as const;
type MetricRange = keyof typeof RANGES;
export const RANGE_NAMES = Object.keys(RANGES) as MetricRange[];
const DEFAULT_RANGE: MetricRange = "1h";

/** The latest time that a date can hold, in epoch milliseconds. PostgreSQL holds later ones. */
export const LATEST_SINCE = 8.64e15;

export const INVALID_RANGE = `Invalid range. Allowed values: ${RANGE_NAMES.join(", ")}.`;
export const INVALID_SINCE = "Invalid since. Send whole Unix epoch milliseconds, once.";

/** The estimated size of a response in bytes, for a service with four nodes. 0 means small. */
const BYTES: Readonly<Record<MetricRange, number>> = { "1h": 0, "24h": 2 ** 20, "7d": 8 * 2 ** 20 };

/** The `range` parameter, 1h when absent; null when it is repeated or has a value that is not allowed. */
function findRange(query: URLSearchParams): MetricRange | null {
  const [value = DEFAULT_RANGE, ...repeated] = query.getAll("range");
  return repeated.length === 0 && Object.hasOwn(RANGES, value) ? (value as MetricRange) : null;
}

/** The `since` parameter in epoch milliseconds, −∞ when absent; null when it is repeated or no whole number of them. */
function findSince(query: URLSearchParams): number | null {
  const [text, ...repeated] = query.getAll("since");
  if (text === undefined) return -Infinity;
  const since = /^\d{1,16}$/.test(text) ? Number(text) : Infinity;
  return repeated.length === 0 && since <= LATEST_SINCE ? since : null;
}

/** Whether `requireWindow` takes the query. */
function isWindow(query: URLSearchParams): boolean {
  return findRange(query) !== null && findSince(query) !== null;
}

/** What a query asks for at `now` (epoch ms): intervals after `after`, up to `until`. @throws InvalidInputError */
export function requireWindow(query: URLSearchParams, now: number): { range: MetricRange; after: Date; until: Date } {
  const [range, since] = [findRange(query), findSince(query)];
  if (range === null) throw new InvalidInputError(INVALID_RANGE);
  if (since === null) throw new InvalidInputError(INVALID_SINCE);
  return { range, after: new Date(Math.max(now - RANGES[range], since)), until: new Date(now) };
}

/** Estimates the size of an answer in bytes: that of the shortest range that covers as much time. */
export function estimateMetrics(query: URLSearchParams): number {
  if (!isWindow(query)) return 0;
  const { after, until } = requireWindow(query, Date.now());
  const length = until.getTime() - after.getTime();
  return BYTES[RANGE_NAMES.find((name) => length <= RANGES[name]) ?? "7d"];
}
