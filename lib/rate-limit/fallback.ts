import { inTime, TimeUpError } from "@/lib/process/in-time";
import type { MemoryLog } from "./memory";
import type { Decision, RateLimiter } from "./policy";
import type { StoreHealth } from "./store-health";

/**
 * Asks the shared store, and falls back to this process's own log while the store fails. A request needs the consent of
 * both, and the own log records every accepted request. It decides alone, too, for a request that may wait no longer. So no accepted request is forgotten when the store fails or
 * comes back.
 */
export function limiterWithFallback(shared: RateLimiter, own: MemoryLog, health: StoreHealth): RateLimiter {
  return {
    async limit(key, count): Promise<Decision> {
      const peek = () => own.peek(key, performance.now(), count);
      const take = () => own.take(key, performance.now(), count);
      const before = peek();
      if (!before.accepted) return before;
      if (!health.isUp) return take();
      let decision: Decision;
      try {
        decision = await inTime(() => shared.limit(key, count));
      } catch (error) {
        if (!(error instanceof TimeUpError)) health.reportFailure(error);
        return take();
      }
      if (!decision.accepted) return refusedByBoth(decision, peek());
      // Requests that waited for the store at the same time may have filled the own log. A store that lost its counts
      // would accept them all.
      const mine = take();
      return mine.accepted ? stricter(decision, mine) : mine;
    },
  };
}

/** Reports the stricter decision. A store that came back empty would promise more than the own log accepts. */
function stricter(shared: Decision, own: Decision): Decision {
  if (own.remaining >= shared.remaining) return shared;
  return { ...shared, remaining: own.remaining, waitMs: own.waitMs };
}

/** Announces the longer wait. Otherwise a client that waits exactly as told could be refused again. */
function refusedByBoth(shared: Decision, own: Decision): Decision {
  return own.accepted ? shared : { ...shared, waitMs: Math.max(shared.waitMs, own.waitMs) };
}
