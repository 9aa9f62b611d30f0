import { expect, onTestFinished, test, vi } from "vitest";
import { SECOND } from "@/lib/format/time";
import { limiterWithFallback } from "./fallback";
import { MemoryLog } from "./memory";
import type { RateLimiter } from "./policy";
import { StoreHealth } from "./store-health";

const POLICY = { name: "test", limit: 120, windowMs: 60_000 };

test("a store that lost its counts lets in no more requests than the limit", async () => {
  const forgetful: RateLimiter = {
    limit: async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { accepted: true, limit: 120, remaining: 119, waitMs: 0 };
    },
  };
  const limiter = limiterWithFallback(forgetful, new MemoryLog(POLICY), new StoreHealth(async () => {}));
  const decisions = await Promise.all(Array.from({ length: 200 }, () => limiter.limit("token")));
  expect(decisions.filter(({ accepted }) => accepted)).toHaveLength(120);
  for (const { accepted, waitMs } of decisions) if (!accepted) expect(waitMs).toBeGreaterThan(59_000);
});

test("a failed store is only probed, and is up once the probe is answered", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let [asked, probed, isThere] = [0, 0, false];
  const answer = async () => {
    if (!isThere) throw new Error("away");
    return { accepted: true, limit: 120, remaining: 119, waitMs: 0 };
  };
  const shared: RateLimiter = {
    limit() {
      asked++;
      return answer();
    },
  };
  const health = new StoreHealth(() => {
    probed++;
    return answer();
  });
  const limiter = limiterWithFallback(shared, new MemoryLog(POLICY), health);
  expect(health.isUp).toBe(true);
  for (let n = 0; n < 20; n++) expect(await limiter.limit("token")).toMatchObject({ accepted: true });
  expect([asked, probed, health.isUp]).toEqual([1, 0, false]);
  await vi.advanceTimersByTimeAsync(20 * SECOND);
  expect([asked, probed, health.isUp]).toEqual([1, 4, false]);
  isThere = true;
  await vi.advanceTimersByTimeAsync(5 * SECOND);
  expect([asked, probed, health.isUp]).toEqual([1, 5, true]);
  await vi.advanceTimersByTimeAsync(60 * SECOND);
  expect([asked, probed]).toEqual([1, 5]);
  await limiter.limit("token");
  expect(asked).toBe(2);
});
