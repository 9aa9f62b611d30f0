import { endRepeated, logRepeated, type Repeated } from "@/lib/process/repeated.mjs";
import { SECOND } from "@/lib/time";
import type { MemoryLog } from "./memory";
import type { Decision, RateLimiter } from "./policy";

/** After a failure the shared store is left alone for this long, so that a slow one does not slow every request. */
const COOL_DOWN = 5 * SECOND;

const OUTAGE: Repeated = {
  level: "error",
  event: "rate limit store unavailable",
  over: "rate limit store available again",
};

/** The health of a store, shared by all policies over it. */
export type StoreHealth = { failedAt: number | null };

/**
 * Asks the shared store, and falls back to this process's own log while the store fails. A request needs the consent of
 * both, and the own log records every accepted request. So no accepted request is forgotten when the store fails or
 * comes back.
 */
export function limiterWithFallback(shared: RateLimiter, own: MemoryLog, health: StoreHealth): RateLimiter {
  return {
    async limit(key): Promise<Decision> {
      const before = own.peek(key);
      if (!before.accepted) return before;
      if (health.failedAt !== null) {
        if (performance.now() - health.failedAt < COOL_DOWN) return own.take(key);
        // This request alone tries the store again; the others go on without it until it has answered.
        health.failedAt = performance.now();
      }
      let decision: Decision;
      try {
        decision = await shared.limit(key);
      } catch (error) {
        reportFailure(health, error);
        return own.take(key);
      }
      reportSuccess(health);
      if (!decision.accepted) return refusedByBoth(decision, own.peek(key));
      // Requests that waited for the store at the same time may have filled the own log. A store that lost its counts
      // would accept them all.
      const mine = own.take(key);
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

function reportFailure(health: StoreHealth, error: unknown): void {
  health.failedAt = performance.now();
  logRepeated(OUTAGE, {
    reason: error instanceof Error ? error.message : String(error),
    decided: "in this process, until the store answers again",
  });
}

function reportSuccess(health: StoreHealth): void {
  if (health.failedAt === null) return;
  health.failedAt = null;
  endRepeated(OUTAGE.event);
}
