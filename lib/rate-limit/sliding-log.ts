import type { Ratelimit } from "@upstash/ratelimit";
import type { Redis } from "@upstash/redis";
import type { Policy } from "./policy";

/**
 * One list per key: the times of the last accepted requests, newest first, in microseconds of the Redis clock, so that
 * any number of app instances agree. Answers {accepted, remaining, milliseconds until one more is accepted}. A refused
 * request writes nothing. Times that lie more than a window ahead are from before that clock was set back, and would
 * lock the key out for as long; what they stood for is still counted in each instance (`fallback.ts`).
 */
const SCRIPT = `
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2]) * 1000
local clock = redis.call("TIME")
local now = clock[1] * 1000000 + clock[2]
local times = redis.call("LRANGE", KEYS[1], 0, limit - 1)
if #times > 0 and tonumber(times[1]) - now > window then
  redis.call("DEL", KEYS[1])
  times = {}
end
local used = 0
while used < #times and now - tonumber(times[used + 1]) < window do used = used + 1 end
if used >= limit then return {0, 0, math.ceil((window - (now - tonumber(times[limit]))) / 1000)} end
redis.call("LPUSH", KEYS[1], string.format("%.0f", now))
redis.call("LTRIM", KEYS[1], 0, limit - 1)
redis.call("PEXPIRE", KEYS[1], ARGV[2])
local oldest = used == 0 and now or tonumber(times[used])
return {1, limit - used - 1, math.ceil((window - (now - oldest)) / 1000)}
`;

type Algorithm = ConstructorParameters<typeof Ratelimit>[0]["limiter"];
/** Epoch milliseconds with a fraction: whole ones would announce waits that are up to a millisecond too short. */
export const preciseNow = () => performance.timeOrigin + performance.now();

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
      return { success: accepted === 1, limit, remaining, reset: preciseNow() + waitMs, pending: Promise.resolve() };
    },
    async getRemaining() {
      throw new Error("Not offered: the answer to limit() carries what remains.");
    },
    async resetTokens(context, key) {
      await redis.del(`${context.prefix}:${key}`);
    },
  });
}
