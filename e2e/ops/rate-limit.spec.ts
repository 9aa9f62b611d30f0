import { startConsole } from "@/e2e/support/console-server";
import { newAccount } from "@/e2e/support/factories";
import { call, expect, own, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { startRedis } from "@/e2e/support/redis-server";

const statusesOf = (token: string, count: number, origins: string[]) =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => {
      return (await call("/api/v1/me", token, { origin: origins[index % origins.length] as string })).status;
    }),
  );

const countOf = (statuses: number[], status: number) => statuses.filter((each) => each === status).length;

test("two processes on one Redis allow exactly 120 requests, while it is away too", async () => {
  needs("redis-server");
  const redis = await own(startRedis());
  const variables = { REDIS_URL: redis.url };
  const consoles = await Promise.all([0, 1].map(() => own(startConsole(process.env.DATABASE_URL ?? "", variables))));
  const origins = consoles.map(({ origin }) => origin);
  const { token } = await newAccount();
  const statuses = await statusesOf(token, 200, origins);
  const output = consoles.map((app) => app.output()).join("");
  expect([countOf(statuses, 200), countOf(statuses, 429)], output).toEqual([120, 80]);

  const { token: other } = await newAccount();
  const before = await statusesOf(other, 100, origins.slice(0, 1));
  await redis.kill();
  const during = await statusesOf(other, 60, origins.slice(0, 1));
  await redis.restart();
  const after = await statusesOf(other, 20, origins.slice(0, 1));
  expect(countOf(before, 200)).toBe(100);
  expect([countOf(during, 200), countOf(during, 429)]).toEqual([20, 40]);
  expect(countOf(after, 429)).toBe(20);
  expect(consoles[0]?.output().match(/rate limit store unavailable/g)).toHaveLength(1);
});
