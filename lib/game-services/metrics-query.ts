import { InvalidInputError } from "@/lib/failures";
import { DAY, HOUR } from "@/lib/format/time";

/** How far back each range reaches, in milliseconds, the shortest first (contract 4, rule 6). */
export const RANGES = { "1h": HOUR, "24h": DAY, "7d": 7 * DAY } as const;
type MetricRange = keyof typeof RANGES;
export const RANGE_NAMES = Object.keys(RANGES) as MetricRange[];

/** The latest time that a date can hold, in epoch milliseconds. PostgreSQL holds later ones. */
export const LATEST_SINCE = 8.64e15;

export const INVALID_RANGE = `Invalid range. Allowed values: ${RANGE_NAMES.join(", ")}.`;
export const INVALID_SINCE = "Invalid since. Send whole Unix epoch milliseconds, once.";

/** The estimated size of a response in bytes, for a service with four nodes. 0 means small. */
const BYTES: Readonly<Record<MetricRange, number>> = { "1h": 0, "24h": 2 ** 20, "7d": 8 * 2 ** 20 };

/**
 * What a query asks for at `now` (epoch ms): intervals after `after`, up to `until`. `range` is 1h when absent, `since` is in
 * epoch milliseconds.
 * @throws InvalidInputError for one that is repeated, or has a value that is not allowed.
 */
export function requireWindow(query: URLSearchParams, now: number): { range: MetricRange; after: Date; until: Date } {
  const [range = "1h", ...ranges] = query.getAll("range");
  if (ranges.length > 0 || !isRange(range)) throw new InvalidInputError(INVALID_RANGE);
  const [since = "0", ...sinces] = query.getAll("since");
  if (sinces.length > 0 || !/^\d{1,16}$/.test(since) || Number(since) > LATEST_SINCE) {
    throw new InvalidInputError(INVALID_SINCE);
  }
  return { range, after: new Date(Math.max(now - RANGES[range], Number(since))), until: new Date(now) };
}

const isRange = (text: string): text is MetricRange => Object.hasOwn(RANGES, text);

/** Estimates the size of an answer in bytes: that of the shortest range that covers as much time. A wrong query has no answer: 0. */
export function estimateMetrics(query: URLSearchParams): number {
  try {
    const { after, until } = requireWindow(query, Date.now());
    const length = until.getTime() - after.getTime();
    return BYTES[RANGE_NAMES.find((name) => length <= RANGES[name]) ?? "7d"];
  } catch {
    return 0;
  }
}
