/** At most `limit` accepted in any `windowMs`. The name keeps the counts of different policies apart. */
export type Policy = { name: string; limit: number; windowMs: number };

export type Decision = {
  accepted: boolean;
  limit: number;
  /** How many more would be accepted now. */
  remaining: number;
  /** Milliseconds until one more is accepted than now: when refused, until the next is; 0 when nothing is counted. */
  waitMs: number;
};

export interface RateLimiter {
  /** Counts one request of `key`, unless it is refused: refused requests are never counted. */
  limit(key: string): Promise<Decision>;
}
