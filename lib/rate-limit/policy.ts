import { MINUTE, SECOND } from "@/lib/format/time";

/** At most `limit` accepted in any `windowMs`. The name keeps the counts of different policies apart. */
export type Policy = { name: string; limit: number; windowMs: number };

/**
 * What one token may ask of the API, over all endpoints (contract 8). Headers, pages, documents and clients take their
 * numbers from here.
 */
export const API_REQUESTS: Policy = { name: "api", limit: 120, windowMs: MINUTE };

/** The policy as people read it: "120 requests in any 60 seconds". */
export function policyText({ limit, windowMs }: Policy): string {
  return `${limit.toLocaleString("en")} requests in any ${windowSeconds({ windowMs })} seconds`;
}

/** The window in seconds. */
export function windowSeconds({ windowMs }: Pick<Policy, "windowMs">): number {
  return windowMs / SECOND;
}

export type Decision = {
  accepted: boolean;
  limit: number;
  /** How many more would be accepted now. */
  remaining: number;
  /** Milliseconds until one more is accepted than now; when refused, until what was asked for is; 0 when nothing is counted. */
  waitMs: number;
};

export interface RateLimiter {
  /** Counts `count` requests of `key` (1 by default), or none when they are refused: refused requests are never counted. */
  limit(key: string, count?: number): Promise<Decision>;
}
