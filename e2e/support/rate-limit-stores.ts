import { SECOND } from "@/lib/format/time";
import type { RedisSettings } from "@/lib/process/env-variables";
import { openRateLimits, type RateLimits } from "@/lib/rate-limit";
import { atEnd } from "./fixtures";
import { startRedis } from "./redis-server";
import { startUpstash } from "./upstash-server";

export const POLICY = { name: "shared", limit: 120, windowMs: 60 * SECOND };

/** Redis itself, or Upstash in front of it: the port of its server, and the settings that reach it there or at another. */
export const STORES = {
  async Redis() {
    const redis = await startRedis();
    const settingsAt = (port: number): RedisSettings => ({ kind: "tcp", url: `redis://127.0.0.1:${port}` });
    return { redis, port: Number(new URL(redis.url).port), settingsAt, stop: redis.stop };
  },
  async Upstash() {
    const redis = await startRedis();
    const { url, token, stop } = await startUpstash(redis.url);
    const settingsAt = (port: number): RedisSettings => ({ kind: "rest", url: `http://127.0.0.1:${port}`, token });
    return { redis, port: Number(new URL(url).port), settingsAt, stop: () => stop().then(redis.stop) };
  },
};

/** An instance of the test's own. */
export function ownLimits(settings: RedisSettings): RateLimits {
  const limits = openRateLimits(settings);
  atEnd(() => limits.close());
  return limits;
}

/** Sleeps at least this long. Timers alone may fire a fraction of a millisecond early. */
export async function sleep(ms: number): Promise<void> {
  const end = performance.now() + ms;
  for (let left = ms; left > 0; left = end - performance.now()) {
    await new Promise((resolve) => setTimeout(resolve, left));
  }
}

/**
 * Tries again until the store was in time throughout. On a busy machine its answer may come too late: then this process
 * decides, while the store may have counted the request as well.
 */
export async function whileUp<Result>(stores: readonly RateLimits[], attempt: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const result = await attempt();
    if (stores.every(({ isUp }) => isUp() !== false)) return result;
    await sleep(SECOND);
  }
}

/** How many of so many requests at once are accepted. */
export async function acceptedOf(limits: RateLimits, key: string, count: number): Promise<number> {
  const decisions = await Promise.all(Array.from({ length: count }, () => limits.limit(POLICY, key)));
  return decisions.filter(({ accepted }) => accepted).length;
}
