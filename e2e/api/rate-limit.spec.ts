import { startConsole } from "@/e2e/support/console-server";
import { doorOrigins } from "@/e2e/support/doors";
import { newAccount, newToken } from "@/e2e/support/factories";
import { call, expect, expectFailure, sharedOrigin, spend, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { startRedis } from "@/e2e/support/redis-server";
import { SECOND } from "@/lib/format/time";

const statusesOf = (token: string, count: number, origins: (string | undefined)[] = [undefined]) =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const origin = origins[index % origins.length];
      return (await call("/api/v1/me", token, origin ? { origin } : {})).status;
    }),
  );

const countOf = (statuses: number[], status: number) => statuses.filter((each) => each === status).length;

test("of 200 parallel requests on one token exactly 120 pass and 80 are 429", async () => {
  const { token } = await newAccount();
  const statuses = await statusesOf(token, 200, [sharedOrigin()]);
  expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([120, 80]);
});

test("so it is through Next's router", { tag: "@embedded-only" }, async () => {
  const [, origin] = doorOrigins();
  const { token } = await newAccount();
  const statuses: number[] = [];
  // Limits concurrency: this door takes ten times as long as the direct one, and waiting for the database times out.
  for (let sent = 0; sent < 200; sent += 40) statuses.push(...(await statusesOf(token, 40, [origin])));
  expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([120, 80]);
});

test("the 121st request is 429 with a Retry-After, and a client that sleeps exactly that long is let in, through each door", {
  tag: "@waits",
}, async () => {
  const sleepers: Promise<void>[] = [];
  for (const origin of doorOrigins()) {
    const { token } = await newAccount();
    await spend(token, 120, origin);
    const refused = await call("/api/v1/me", token, { origin });
    const wait = Number(refused.headers.get("retry-after"));
    expect(refused.status).toBe(429);
    expect(refused.json).toEqual({ error: `Rate limit exceeded. Retry in ${wait} seconds.` });
    expect(Number.isInteger(wait) && wait >= 1 && wait <= 60).toBe(true);
    expect(refused.headers.get("ratelimit")).toBe(`"default";r=0;t=${wait}`);
    // The guarantee is about time, so the test has to wait.
    const slept = new Promise((resolve) => setTimeout(resolve, wait * SECOND));
    sleepers.push(slept.then(async () => expect((await call("/api/v1/me", token, { origin })).status).toBe(200)));
  }
  await Promise.all(sleepers);
});

test("refused requests are not counted: hammering does not lengthen the wait", async () => {
  const { token } = await newAccount();
  await spend(token, 120);
  const first = await call("/api/v1/me", token);
  await statusesOf(token, 60);
  const last = await call("/api/v1/me", token);
  expect(Number(last.headers.get("retry-after"))).toBeLessThanOrEqual(Number(first.headers.get("retry-after")));
});

test("all endpoints, 404s, 405s and 400s count together; 401s and preflights do not", async () => {
  const { token } = await newAccount();
  const remaining = async (path: string, method = "GET") =>
    (await call(path, token, { method })).headers.get("x-ratelimit-remaining");
  expect(await remaining("/api/v1/me")).toBe("119");
  expect(await remaining("/api/v1/servers")).toBe("118");
  expect(await remaining("/api/v1/nope")).toBe("117");
  expect(await remaining("/api/v1/me", "POST")).toBe("116");
  await call("/api/v1/me", `${token}x`);
  await call("/api/v1/me", null, { method: "OPTIONS" });
  expect(await remaining("/api/v1/game-services")).toBe("115");
});

test("each token has its own 120, also two tokens of one account", async () => {
  const { id, token } = await newAccount();
  const other = await newToken(id);
  await spend(token, 120);
  expect((await call("/api/v1/me", token)).status).toBe(429);
  expect((await call("/api/v1/me", other)).headers.get("x-ratelimit-remaining")).toBe("119");
});

test("every authenticated answer carries the quota in the IETF fields and their older relatives", async () => {
  const { token } = await newAccount();
  const begunAt = Date.now() / SECOND;
  for (const [path, status, remaining] of [
    ["/api/v1/me", 200, 119],
    ["/api/v1/nope", 404, 118],
  ] as const) {
    const answer = await call(path, token);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("ratelimit-policy")).toBe('"default";q=120;w=60');
    const [, r, t] = /^"default";r=(\d+);t=(\d+)$/.exec(answer.headers.get("ratelimit") ?? "") ?? [];
    expect(Number(r)).toBe(remaining);
    // From the first request on, and rounded up.
    const tookSeconds = Date.now() / SECOND - begunAt;
    expect(Number(t)).toBeGreaterThanOrEqual(60 - tookSeconds);
    expect(Number(t)).toBeLessThanOrEqual(60);
    expect(answer.headers.get("x-ratelimit-limit")).toBe("120");
    expect(answer.headers.get("x-ratelimit-remaining")).toBe(String(remaining));
    const reset = Number(answer.headers.get("x-ratelimit-reset"));
    expect(reset).toBeGreaterThanOrEqual(begunAt + 60 - 1);
    expect(reset).toBeLessThanOrEqual(begunAt + tookSeconds + 60 + 1);
  }
  expect((await call("/api/v1/me", null)).headers.get("ratelimit")).toBeNull();
});

test("a token that is revoked while over its limit reads 401, not 429", async () => {
  const { id, token } = await newAccount();
  await spend(token, 120);
  expect((await call("/api/v1/me", token)).status).toBe(429);
  const { revokeTokens } = await import("@/lib/tokens/management");
  await revokeTokens(id, "all");
  await expectFailure(call("/api/v1/me", token), 401, "Invalid or revoked access token.");
});

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

test("Redis dying and coming back is no error to any caller and never lifts the limit", async () => {
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
