import type { Ratelimit } from "@upstash/ratelimit";
import type { Redis } from "@upstash/redis";
import type { Policy } from "./policy";

/**
 * One list per key: the times of the last accepted requests, newest first. They are in microseconds of the Redis clock,
 * so that all instances agree. Returns {accepted, remaining, milliseconds until one more is accepted, or what was refused}.
 * Several requests are accepted or refused together. A refused one writes nothing. An accepted one removes expired times,
 * so a decision reads only the ends of the list. Times more than a window ahead are dropped: the clock was set back, and
 * they would lock the key out for as long. Each instance still counts those requests in its own log (`fallback.ts`).
 */
const SCRIPT = `
local key, limit, window, count = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]) * 1000, tonumber(ARGV[3])
local clock = redis.call("TIME")
local now = clock[1] * 1000000 + clock[2]
local newest = redis.call("LINDEX", key, 0)
if newest and newest - now > window then
  redis.call("DEL", key)
  newest = nil
end
local oldest = newest and redis.call("LINDEX", key, -1)
local room, wait = count, nil
while room > 0 do
  local last = oldest and redis.call("LINDEX", key, limit - room)
  if not last or now - last >= window then break end
  wait = wait or math.ceil((window - (now - last)) / 1000)
  room = room - 1
end
if wait then return {0, room, wait} end
while oldest and now - oldest >= window do
  redis.call("RPOP", key)
  oldest = redis.call("LINDEX", key, -1)
end
local used
for _ = 1, count do used = redis.call("LPUSH", key, string.format("%.0f", now)) end
redis.call("PEXPIRE", key, ARGV[2])
return {1, limit - used, math.ceil((window - (now - (oldest or now))) / 1000)}
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
    async limit(context, key, count) {
      const [accepted, remaining, waitMs] = await script.exec(
        [`${context.prefix}:${key}`],
        [`${limit}`, `${windowMs}`, `${count}`],
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
