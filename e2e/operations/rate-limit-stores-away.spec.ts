import { createClient } from "@redis/client";
import { unique } from "@/e2e/support/factories";
import { atEnd, expect, own, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { acceptedOf, ownLimits, POLICY, STORES, whileUp } from "@/e2e/support/rate-limit-stores";
import { startRedis } from "@/e2e/support/redis-server";
import { HOUR } from "@/lib/format/time";

// The limit holds while its store refuses, stops or has a wrong clock.

for (const [what, settings] of [
  ["a Redis that refuses connections", { kind: "tcp", url: "redis://127.0.0.1:1" }],
  ["an Upstash that refuses connections", { kind: "rest", url: "http://127.0.0.1:1", token: "x" }],
  ["an Upstash that rejects the token", null],
] as const) {
  test(`${what}: decided in this process, still 120 of 200`, async () => {
    if (settings === null) needs("redis-server");
    const store = settings === null ? await own(STORES.Upstash()) : null;
    const limits = ownLimits(settings ?? { kind: "rest", url: `http://127.0.0.1:${store?.port}`, token: "wrong" });
    expect(await acceptedOf(limits, unique("key"), 200)).toBe(120);
  });
}

test("the limit holds while Redis stops, pauses and returns, and Redis is used again", async () => {
  needs("redis-server");
  const redis = await own(startRedis());
  const limits = ownLimits({ kind: "tcp", url: redis.url });
  const other = ownLimits({ kind: "tcp", url: redis.url });
  const key = unique("key");
  expect(await acceptedOf(limits, key, 50)).toBe(50);
  redis.process().kill("SIGSTOP");
  expect(await acceptedOf(limits, key, 50)).toBe(50);
  redis.process().kill("SIGCONT");
  expect(await acceptedOf(limits, key, 50)).toBe(20);

  // After the cool-down the store decides again: what one instance counts, the other one sees.
  await expect
    .poll(async () => {
      const probe = unique("key");
      await acceptedOf(limits, probe, 1);
      return (await other.limit(POLICY, probe)).remaining;
    })
    .toBe(118);
  const accepted = await whileUp([limits, other], async () => {
    const shared = unique("key");
    return [await acceptedOf(limits, shared, 100), await acceptedOf(other, shared, 100)];
  });
  expect(accepted).toEqual([100, 20]);
});

test("a Redis clock set back locks nobody out, and instances forget no accepted requests", async () => {
  needs("redis-server");
  const redis = await own(startRedis());
  const [limits, other] = [ownLimits({ kind: "tcp", url: redis.url }), ownLimits({ kind: "tcp", url: redis.url })];
  const client = createClient({ url: redis.url });
  atEnd(() => client.destroy());
  await client.connect();
  const key = unique("key");
  expect(await acceptedOf(limits, key, 120)).toBe(120);
  // Simulates a clock that was set back: the stored times are then in the future.
  const [list = ""] = await client.keys("*");
  const times = await client.lRange(list, 0, -1);
  expect(times).toHaveLength(120);
  await client.del(list);
  await client.rPush(
    list,
    times.map((time) => String(Number(time) + HOUR * 1000)),
  );
  const refused = await limits.limit(POLICY, key);
  expect([refused.accepted, refused.waitMs <= POLICY.windowMs]).toEqual([false, true]);
  const accepted = await other.limit(POLICY, key);
  expect([accepted.accepted, accepted.remaining, accepted.waitMs <= POLICY.windowMs]).toEqual([true, 119, true]);
});
