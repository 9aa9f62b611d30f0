import { createClient } from "@redis/client";
import { unique } from "@/e2e/support/factories";
import { atEnd, expect, own, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { ownLimits, STORES, sleep, whileUp } from "@/e2e/support/rate-limit-stores";
import { startRedis } from "@/e2e/support/redis-server";
import { SECOND } from "@/lib/format/time";
import type { RateLimits } from "@/lib/rate-limit";
import { openRedisStore, redisLimiter } from "@/lib/rate-limit/redis";

// One contract, two places where the counts may live: Redis over TCP, Upstash over HTTP. In this process: lib/rate-limit/memory.test.ts.

for (const [name, start] of Object.entries(STORES)) {
  test.describe(name, () => {
    needs("redis-server");

    let store: Awaited<ReturnType<typeof start>>;
    let limits: RateLimits;
    test.beforeEach(async () => {
      store = await own(start());
      limits = ownLimits(store.settingsAt(store.port));
    });

    const limitOf = (windowMs: number, limit = 120) => {
      const policy = { name: `${windowMs}-${limit}`, limit, windowMs };
      return (key: string) => limits.limit(policy, key);
    };

    test("of 200 requests at once exactly 120 are accepted, each remainder told once", async () => {
      const limit = limitOf(60 * SECOND);
      let begunAt = 0;
      const decisions = await whileUp([limits], () => {
        const key = unique("key");
        begunAt = performance.now();
        return Promise.all(Array.from({ length: 200 }, () => limit(key)));
      });
      const tookMs = performance.now() - begunAt;
      const accepted = decisions.filter((decision) => decision.accepted);
      expect(accepted).toHaveLength(120);
      expect(accepted.map(({ remaining }) => remaining).sort((a, b) => b - a)).toEqual(
        Array.from({ length: 120 }, (_, index) => 119 - index),
      );
      for (const { accepted: isAccepted, remaining, waitMs } of decisions) {
        if (!isAccepted) expect(remaining).toBe(0);
        expect(waitMs).toBeGreaterThan(60 * SECOND - tookMs - 2);
        expect(waitMs).toBeLessThanOrEqual(60 * SECOND);
      }
    });

    test("whoever waits exactly as long as announced is accepted, 20 of 20", {
      tag: "@waits",
    }, async () => {
      const limit = limitOf(SECOND, 3);
      let key = unique("key");
      for (let round = 0; round < 20; ) {
        const decision = await whileUp([limits], async () => {
          key = limits.isUp() === false ? unique("key") : key;
          for (;;) {
            const made = await limit(key);
            if (!made.accepted) return made;
          }
        });
        await sleep(decision.waitMs);
        const { accepted } = await limit(key);
        if (limits.isUp() === false) continue;
        expect(accepted).toBe(true);
        round++;
      }
    });

    test("keys and policies are counted apart", async () => {
      const key = unique("key");
      const strict = limitOf(60 * SECOND, 1);
      expect((await strict(key)).accepted).toBe(true);
      expect((await strict(key)).accepted).toBe(false);
      expect((await strict(unique("key"))).accepted).toBe(true);
      expect((await limitOf(60 * SECOND, 2)(key)).accepted).toBe(true);
    });
  });
}

test("Redis accepts requests that count together all or none, and announced waits hold", {
  tag: "@waits",
}, async () => {
  needs("redis-server");
  const redis = await own(startRedis());
  // Without the log of a process, which would refuse first.
  const store = openRedisStore({ kind: "tcp", url: redis.url });
  atEnd(() => store.close());
  const { limit } = redisLimiter(store, { name: "together", limit: 5, windowMs: 5 * SECOND });
  const client = createClient({ url: redis.url });
  atEnd(() => client.destroy());
  await client.connect();
  for (const count of [2, 3]) {
    const key = unique("key");
    const kept = async () => client.lLen((await client.keys(`*${key}`))[0] ?? "");
    let accepted = 0;
    for (;;) {
      const decision = await limit(key, count);
      expect(await kept()).toBe(decision.accepted ? accepted + count : accepted);
      if (!decision.accepted) {
        expect(decision.remaining).toBe(5 - accepted);
        await sleep(decision.waitMs);
        expect(await limit(key, count)).toMatchObject({ accepted: true });
        break;
      }
      accepted += count;
      await sleep(30);
    }
  }
});

test("Redis keeps only accepted requests within the window, and refusals change nothing", async () => {
  needs("redis-server");
  const redis = await own(startRedis());
  const limits = ownLimits({ kind: "tcp", url: redis.url });
  const client = createClient({ url: redis.url });
  atEnd(() => client.destroy());
  await client.connect();
  const key = unique("key");
  // Another process has no local knowledge of a refusal, so it asks Redis.
  const other = ownLimits({ kind: "tcp", url: redis.url });
  const fill = async (windowMs: number) => {
    const policy = { name: `kept-${windowMs}`, limit: 5, windowMs };
    await client.flushAll();
    const begunAt = performance.now();
    const accepted: boolean[] = [];
    for (let n = 0; n < 5; n++) {
      // Later requests keep the list alive after the earlier ones left the window.
      if (n === 3) await sleep(windowMs / 2);
      accepted.push((await limits.limit(policy, key)).accepted);
    }
    const [list = ""] = await client.keys("*");
    const kept = await client.lRange(list, 0, -1);
    const refused = await other.limit(policy, key);
    const isInTime = performance.now() - begunAt < windowMs && limits.isUp() && other.isUp();
    return { policy, accepted, list, kept, refused, isInTime };
  };
  let filled = await fill(600);
  // On a busy machine the first ones leave a short window before the last ones come.
  while (!filled.isInTime) filled = await fill(2 * filled.policy.windowMs);
  const { policy, accepted, list, kept, refused } = filled;
  expect(accepted).toEqual(Array(5).fill(true));
  expect(kept).toHaveLength(5);
  expect(refused.accepted).toBe(false);
  expect(await client.lRange(list, 0, -1)).toEqual(kept);
  await sleep(refused.waitMs);
  expect(await other.limit(policy, key)).toMatchObject({ accepted: true });
  const [newest = 0, ...older] = (await client.lRange(list, 0, -1)).map(Number);
  for (const time of older) expect(newest - time).toBeLessThan(policy.windowMs * 1000);
  await sleep(policy.windowMs);
  await expect.poll(() => client.exists(list)).toBe(0);
});
