import { startConsole } from "@/e2e/support/console-server";
import { newAccount } from "@/e2e/support/factories";
import { call, expect, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { startRedis } from "@/e2e/support/redis-server";

const statusesOf = (token: string, count: number, origins: string[]) =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => {
      return (await call("/api/v1/me", token, { origin: origins[index % origins.length] as string })).status;
    }),
  );

const countOf = (statuses: number[], status: number) => statuses.filter((each) => each === status).length;

test("two app processes that share Redis let exactly 120 of 200 parallel requests through", async () => {
  needs("redis-server");
  const redis = await startRedis();
  const variables = { REDIS_URL: redis.url };
  const consoles = await Promise.all([0, 1].map(() => startConsole(process.env.DATABASE_URL ?? "", variables)));
  try {
    const { token } = await newAccount();
    const statuses = await statusesOf(
      token,
      200,
      consoles.map(({ origin }) => origin),
    );
    const output = consoles.map((app) => app.output()).join("");
    expect([countOf(statuses, 200), countOf(statuses, 429)], output).toEqual([120, 80]);
  } finally {
    await Promise.all(consoles.map((app) => app.stop()));
    await redis.stop();
  }
});

test("Redis dying and returning causes no error and never lifts the limit", async () => {
  needs("redis-server");
  const redis = await startRedis();
  const app = await startConsole(process.env.DATABASE_URL ?? "", { REDIS_URL: redis.url });
  try {
    const { token } = await newAccount();
    const before = await statusesOf(token, 100, [app.origin]);
    await redis.kill();
    const during = await statusesOf(token, 60, [app.origin]);
    await redis.restart();
    const after = await statusesOf(token, 20, [app.origin]);
    expect(countOf(before, 200)).toBe(100);
    expect([countOf(during, 200), countOf(during, 429)]).toEqual([20, 40]);
    expect(countOf(after, 429)).toBe(20);
    expect(app.output().match(/rate limit store unavailable/g)).toHaveLength(1);
  } finally {
    await app.stop();
    await redis.stop();
  }
});
