import { expect, test } from "vitest";
import { limiterWithFallback } from "./fallback";
import { MemoryLog } from "./memory";
import type { RateLimiter } from "./policy";

const POLICY = { name: "test", limit: 120, windowMs: 60_000 };

test("a store that has lost its counts does not let more requests in, however many wait for it at once", async () => {
  const forgetful: RateLimiter = {
    limit: async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { accepted: true, limit: 120, remaining: 119, waitMs: 0 };
    },
  };
  const limiter = limiterWithFallback(forgetful, new MemoryLog(POLICY), { failedAt: null });
  const decisions = await Promise.all(Array.from({ length: 200 }, () => limiter.limit("token")));
  expect(decisions.filter(({ accepted }) => accepted)).toHaveLength(120);
  for (const { accepted, waitMs } of decisions) if (!accepted) expect(waitMs).toBeGreaterThan(59_000);
});
