import { SECOND } from "@/lib/format/time";
import type { Policy, RateLimits } from "@/lib/rate-limit";

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
export async function acceptedOf(limits: RateLimits, policy: Policy, key: string, count: number): Promise<number> {
  const decisions = await Promise.all(Array.from({ length: count }, () => limits.limit(policy, key)));
  return decisions.filter(({ accepted }) => accepted).length;
}
