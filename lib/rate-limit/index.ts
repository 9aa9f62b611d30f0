import { env } from "@/lib/process/env";
import type { RedisSettings } from "@/lib/process/env-variables";
import { perProcess } from "@/lib/process/per-process.mjs";
import { limiterWithFallback } from "./fallback";
import { MemoryLog } from "./memory";
import type { Decision, Policy, RateLimiter } from "./policy";
import { StoreHealth } from "./store-health";

export type { Decision, Policy } from "./policy";

/** What a probe of the store counts: it runs the script of a real decision. */
const PROBES: Policy = { name: "probes", limit: 1, windowMs: 1 };

/** Limiters of every policy over one store. */
export type RateLimits = ReturnType<typeof openRateLimits>;

/** Opens the store that the settings name: Redis over TCP, Upstash over HTTPS, or this process alone. */
export function openRateLimits(settings: RedisSettings) {
  const store = settings.kind === "none" ? null : openShared(settings);
  const health = store && new StoreHealth(() => store.limiterOf(PROBES).limit("probe"));
  const limiters = new Map<string, { own: MemoryLog; limiter: RateLimiter }>();

  function limiterOf(policy: Policy) {
    const known = limiters.get(policy.name);
    if (known) return known;
    const own = new MemoryLog(policy);
    const limiter: RateLimiter =
      store && health
        ? limiterWithFallback(store.limiterOf(policy), own, health)
        : { limit: async (key, count) => own.take(key, performance.now(), count) };
    const made = { own, limiter };
    limiters.set(policy.name, made);
    return made;
  }

  return {
    limit: (policy: Policy, key: string, count?: number) => limiterOf(policy).limiter.limit(key, count),
    /** The decision from this process's own log. Counts nothing. */
    peek: (policy: Policy, key: string) => limiterOf(policy).own.peek(key),
    /** Whether the store answers; null when there is none. */
    isUp: () => health?.isUp ?? null,
    /** Resolves once the store can be asked. */
    connected: store?.connected ?? Promise.resolve(),
    /** Ends the connection to the store, if there is one. */
    async close() {
      health?.stop();
      await store?.close();
    },
  };
}

/** The clients of Redis are loaded only where one is named: that takes a quarter of a second. */
function openShared(settings: Exclude<RedisSettings, { kind: "none" }>) {
  const opened = import("./redis").then((redis) => ({ ...redis, store: redis.openRedisStore(settings) }));
  return {
    limiterOf(policy: Policy): RateLimiter {
      const limiter = opened.then(({ redisLimiter, store }) => redisLimiter(store, policy));
      return { limit: async (key, count) => (await limiter).limit(key, count) };
    },
    connected: opened.then(({ store }) => store.connected),
    close: async () => (await opened).store.close(),
  };
}

/** Decisions since the process started. */
type LimitCounts = { accepted: number; refused: number };

const counts = perProcess("rate-limit-counts", () => new Map<string, LimitCounts>());

/** By the name of the policy, of which there are a few. */
export function limitCounts(): ReadonlyMap<string, LimitCounts> {
  return counts;
}

/** Whether the shared store answers; null when there is none. */
export function limitStoreIsUp(): boolean | null {
  return rateLimits().isUp();
}

/** Counts `count` requests of `key` under the policy, or none if not all fit. Never throws: see `fallback.ts`. */
export async function limit(policy: Policy, key: string, count = 1): Promise<Decision> {
  const decision = await rateLimits().limit(policy, key, count);
  const counted = counts.get(policy.name) ?? { accepted: 0, refused: 0 };
  counts.set(policy.name, counted);
  if (decision.accepted) counted.accepted += count;
  else counted.refused++;
  return decision;
}

/**
 * The decision on the next request of `key` from this process's own log. A refusal is certain; the store may still
 * refuse what is accepted here. Counts nothing and asks no store.
 */
export function peek(policy: Policy, key: string): Decision {
  return rateLimits().peek(policy, key);
}

/** Connects to the store before the first request needs it, and waits for it for at most this many milliseconds. */
export async function connectRateLimits(timeoutMs: number): Promise<void> {
  const timeUp = new Promise<void>((resolve) => setTimeout(resolve, timeoutMs).unref());
  await Promise.race([rateLimits().connected, timeUp]);
}

function rateLimits(): RateLimits {
  return perProcess("rate-limits", () => openRateLimits(env.redis));
}
