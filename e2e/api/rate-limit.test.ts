import { afterEach, expect, test, vi } from "vitest";
import { call, expectFailure, spend } from "@/e2e/support/ask";
import { newAccount, newOwnedService, newToken } from "@/e2e/support/factories";
import { SECOND } from "@/lib/format/time";
import { EVERYBODY, enter } from "@/lib/process/fair";
import { revokeTokens } from "@/lib/tokens/management";

afterEach(() => void vi.useRealTimers());

const statusesOf = (token: string, count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await call("/api/v1/me", token)).status));

const countOf = (statuses: number[], status: number) => statuses.filter((each) => each === status).length;

test("of 200 parallel requests on one token exactly 120 pass and 80 are 429", async () => {
  const { token } = await newAccount();
  const statuses = await statusesOf(token, 200);
  expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([120, 80]);
});

test("the 121st request is 429, and a client that sleeps Retry-After is let in", async () => {
  const { token } = await newAccount();
  // The limit in memory counts by this clock and never asks the database.
  vi.useFakeTimers({ toFake: ["performance"] });
  await spend(token, 120);
  vi.advanceTimersByTime(1.5 * SECOND);
  const refused = await call("/api/v1/me", token);
  const wait = Number(refused.headers.get("retry-after"));
  expect(refused.status).toBe(429);
  expect(refused.json).toEqual({ error: `Rate limit exceeded. Retry in ${wait} seconds.` });
  expect(wait).toBe(59);
  expect(refused.headers.get("ratelimit")).toBe(`"default";r=0;t=${wait}`);
  vi.advanceTimersByTime((wait - 1) * SECOND);
  expect((await call("/api/v1/me", token)).status).toBe(429);
  vi.advanceTimersByTime(SECOND);
  expect((await call("/api/v1/me", token)).status).toBe(200);
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
  await revokeTokens(id, "all");
  await expectFailure(call("/api/v1/me", token), 401, "Invalid or revoked access token.");
});

test("a long answer refused for want of a place costs no quota", async () => {
  const { token, id: service } = await newOwnedService();
  const left = async () => Number((await call("/api/v1/me", token)).headers.get("x-ratelimit-remaining"));
  const before = await left();
  const ending = new AbortController();
  const places = Array.from({ length: 203 }, () => enter("making", EVERYBODY, ending.signal));
  const refused = await call(`/api/v1/game-services/${service}/metrics?range=7d`, token);
  ending.abort();
  for (const place of await Promise.allSettled(places)) if (place.status === "fulfilled") place.value();
  expect(refused.status).toBe(503);
  expect(await left()).toBe(before - 1);
});
