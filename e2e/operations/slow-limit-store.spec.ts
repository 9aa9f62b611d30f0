import { unique } from "@/e2e/support/factories";
import { expect, own, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { acceptedOf, ownLimits, POLICY, STORES } from "@/e2e/support/rate-limit-stores";
import { startRedis } from "@/e2e/support/redis-server";
import { startSlowProxy } from "@/e2e/support/slow-proxy";
import { SECOND } from "@/lib/format/time";
import { openRateLimits, type RateLimits } from "@/lib/rate-limit";

// A store that answers, but late, is no better than one that is silent.

/** Whether both instances share their counts. */
async function sharesCounts(limits: RateLimits, direct: RateLimits): Promise<boolean> {
  const key = unique("key");
  await limits.limit(POLICY, key);
  return (await direct.limit(POLICY, key)).remaining === POLICY.limit - 2;
}

for (const [name, start] of Object.entries(STORES)) {
  test(`a slow ${name} decides nothing and delays nobody, and decides again once quick`, {
    tag: "@waits",
  }, async () => {
    needs("redis-server");
    const store = await own(start());
    const proxy = await own(startSlowProxy(store.port));
    const limits = ownLimits(store.settingsAt(proxy.port));
    const direct = ownLimits({ kind: "tcp", url: store.redis.url });
    const isShared = () => sharesCounts(limits, direct);
    await limits.connected;
    await expect.poll(isShared).toBe(true);
    const key = unique("key");
    expect(await acceptedOf(limits, key, 50)).toBe(50);

    proxy.setDelay(3 * SECOND);
    expect(await acceptedOf(limits, key, 50)).toBe(50);
    // One after the other: minutes, if each waited for the store.
    for (let i = 0; i < 500; i++) await limits.limit(POLICY, unique("key"));
    expect(await acceptedOf(limits, key, 50)).toBe(20);
    // Nor does one that was never quick.
    const late = openRateLimits(store.settingsAt(proxy.port));
    expect(await acceptedOf(late, unique("key"), 500)).toBe(POLICY.limit);
    await late.close();

    proxy.setDelay(0);
    await expect.poll(isShared).toBe(true);
    expect(await acceptedOf(limits, key, 10), "what was let through meanwhile is not forgotten").toBe(0);
  });
}

test("Redis that vanishes silently is reconnected within seconds and decides again", {
  tag: "@waits",
}, async () => {
  needs("redis-server");
  const redis = await own(startRedis());
  const proxy = await own(startSlowProxy(Number(new URL(redis.url).port)));
  const limits = ownLimits({ kind: "tcp", url: `redis://127.0.0.1:${proxy.port}` });
  const direct = ownLimits({ kind: "tcp", url: redis.url });
  const isShared = () => sharesCounts(limits, direct);
  await limits.connected;
  expect(await isShared()).toBe(true);
  proxy.silence();
  expect(await isShared()).toBe(false);
  await expect.poll(isShared).toBe(true);
});
