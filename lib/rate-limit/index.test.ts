import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { openRateLimits } from "@/lib/rate-limit";

const POLICY = { name: "test", limit: 2, windowMs: 60_000 };

/** The files of the clients of Redis that this process has loaded. */
const loaded = () =>
  Object.keys(createRequire(import.meta.url).cache).filter((file) => file.includes("/@redis/client/"));

test("Redis clients are loaded only where Redis is configured", async () => {
  const alone = openRateLimits({ kind: "none" });
  expect(await alone.limit(POLICY, "key")).toMatchObject({ accepted: true, remaining: 1 });
  expect(await alone.limit({ ...POLICY, name: "other" }, "key")).toMatchObject({ accepted: true, remaining: 1 });
  expect(alone.isUp()).toBeNull();
  expect(loaded()).toEqual([]);
  const shared = openRateLimits({ kind: "tcp", url: "redis://127.0.0.1:1" });
  try {
    expect(await shared.limit(POLICY, "key")).toMatchObject({ accepted: true, remaining: 1 });
    // A busy machine decides without them before they are loaded: it is asked until it has asked them.
    await expect
      .poll(async () => {
        await shared.limit(POLICY, "another key");
        return shared.isUp();
      })
      .toBe(false);
    expect(loaded()).not.toEqual([]);
  } finally {
    await shared.close();
  }
});
