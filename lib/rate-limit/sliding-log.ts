import type { Ratelimit } from "@upstash/ratelimit";
import type { Redis } from "@upstash/redis";
import type { Policy } from "./policy";

/**
 * One list per key: the times of the last accepted requests, newest first, in milliseconds of the Redis clock, so that
 * any number of app instances agree. Answers {accepted, remaining, milliseconds until one more is accepted}. A refused
 * request writes nothing.
 */
const SCRIPT = `
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local clock = redis.call("TIME")
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local times = redis.call("LRANGE", KEYS[1], 0, limit - 1)
local used = 0
while used < #times and now - tonumber(times[used + 1]) < window do used = used + 1 end
if used >= limit then return {0, 0, tonumber(times[limit]) + window - now} end
redis.call("LPUSH", KEYS[1], now)
redis.call("LTRIM", KEYS[1], 0, limit - 1)
redis.call("PEXPIRE", KEYS[1], window)
local oldest = used == 0 and now or tonumber(times[used])
return {1, limit - used - 1, oldest + window - now}
`;

type Algorithm = ConstructorParameters<typeof Ratelimit>[0]["limiter"];
type Answer = [accepted: number, remaining: number, waitMs: number];

/**
 * The exact sliding log as an algorithm of `@upstash/ratelimit`, whose own algorithms are either approximate or let
 * twice the allowance through at a window's edge. One round trip per decision. `reset` is the instant, on this
 * process's clock, from which one more request is accepted.
 */
export function slidingLog(redis: Redis, { limit, windowMs }: Policy): Algorithm {
  const script = redis.createScript<Answer>(SCRIPT);
  return () => ({
    async limit(context, key) {
      const [accepted, remaining, waitMs] = await script.exec(
        [`${context.prefix}:${key}`],
        [`${limit}`, `${windowMs}`],
      );
      return { success: accepted === 1, limit, remaining, reset: Date.now() + waitMs, pending: Promise.resolve() };
    },
    async getRemaining() {
      throw new Error("Not offered: the answer to limit() carries what remains.");
    },
    async resetTokens(context, key) {
      await redis.del(`${context.prefix}:${key}`);
    },
  });
}
