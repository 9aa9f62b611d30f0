import { MINUTE, SECOND } from "@/lib/format/time";

/** From one moment to another, in epoch milliseconds. */
export type Span = { from: number; to: number };

/** When a store is away: it goes from `from` on, and is wholly gone at `goneAt`. */
export type Outage = Span & { goneAt: number };

/** An answer to a request of the soak. */
export type Answer = Span & {
  /** For example "GET /api/v1/me". */
  what: string;
  /** The number of the instance that answered. */
  instance: number;
  token: string | null;
  /** 0 for no answer. */
  status: number;
  hasRetryAfter: boolean;
  isPage: boolean;
  /** The statuses that are right while PostgreSQL answers. */
  expected: readonly number[];
  /** Whether the answer needs no store, so that no outage is an excuse. */
  needsNoStore: boolean;
};

export const READINESS = "GET /readyz";

export const overlaps = (a: Span, b: Span) => a.from <= b.to && b.from <= a.to;

/**
 * An answer is right with an expected status, and with a 503 while PostgreSQL is away, if it says when to ask again;
 * /readyz need not. A page that is being rendered when PostgreSQL goes may be a 500.
 */
export function isRight(answer: Answer, postgresAway: readonly Outage[]): boolean {
  if (answer.expected.includes(answer.status)) return true;
  const span = postgresAway.find((away) => overlaps(away, answer));
  if (!span || answer.needsNoStore) return false;
  if (answer.status === 500) return answer.isPage && answer.from <= span.goneAt;
  return answer.status === 503 && (answer.hasRetryAfter || answer.what === READINESS);
}

/**
 * The largest number of these requests that were certainly accepted within one span of 60 seconds, because they were
 * sent and answered in it. A span begins in none of `not` and ends with the next of them.
 */
export function mostInAMinute(accepted: readonly Span[], not: readonly Span[] = []): number {
  const sorted = [...accepted].sort((a, b) => a.from - b.from);
  let most = 0;
  for (const [n, { from }] of sorted.entries()) {
    if (not.some((span) => overlaps(span, { from, to: from }))) continue;
    const next = Math.min(...not.map((span) => span.from).filter((at) => at > from));
    const to = Math.min(from + MINUTE, next);
    let within = 0;
    for (let m = n; m < sorted.length && (sorted[m]?.from ?? to) <= to; m++) if ((sorted[m]?.to ?? 0) <= to) within++;
    most = Math.max(most, within);
  }
  return most;
}

/** The slope of the straight line through these points, per minute. The least squares are fitted. */
export function slopePerMinute(points: readonly { at: number; value: number }[]): number {
  const mean = (of: (point: { at: number; value: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [at, value] = [mean((point) => point.at), mean((point) => point.value)];
  const spread = points.reduce((sum, point) => sum + (point.at - at) ** 2, 0);
  if (spread === 0) return 0;
  return (points.reduce((sum, point) => sum + (point.at - at) * (point.value - value), 0) / spread) * MINUTE;
}

const LOST = "rate limit store unavailable";
const FOUND = "rate limit store available again";

/**
 * When an instance did without Redis, as its log says. A line comes when something has failed, up to two seconds after it
 * was asked; a last outage may be open.
 */
export function timesWithoutRedis(log: string): Span[] {
  const spans: Span[] = [];
  for (const line of log.split("\n")) {
    if (!line.includes(LOST) && !line.includes(FOUND)) continue;
    const { time, event } = JSON.parse(line) as { time: string; event: string };
    const at = Date.parse(time);
    if (event === LOST) spans.push({ from: at - 2 * SECOND, to: Number.POSITIVE_INFINITY });
    const last = spans.at(-1);
    if (event === FOUND && last) last.to = at;
  }
  return spans;
}
