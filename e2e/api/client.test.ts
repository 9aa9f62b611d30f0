import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { answer } from "@/e2e/support/ask";
import { newAccount, newGameService, newOwnedServer, newOwnedService, newToken } from "@/e2e/support/factories";
import { depthsOf, FOLLOWED, type Follower, playFollowing } from "@/e2e/support/following";
import { useRealTimers } from "@/e2e/support/real-timers";
import { DAY, MINUTE, SECOND } from "@/lib/format/time";
import { API_REQUESTS } from "@/lib/rate-limit/policy";
import {
  ConsoleApi,
  ConsoleApiError,
  ConsoleUnreachableError,
  type FollowedIntervals,
} from "@/public/clients/console-api";

// The client in TypeScript over the handlers, with a clock that is moved. Over HTTP, beside the one in Python:
// e2e/ops/clients.spec.ts and follow.spec.ts.

const ORIGIN = "https://console.example.com";
/** What was asked, and when by the client's clock. */
let asked: { url: string; at: number }[] = [];
/** What befalls the next requests: nobody answers, or something in between says 503, for a moment or for a month. */
let failures: ("drop" | "busy" | "away")[] = [];
const WAITS = { busy: "2", away: String((30 * DAY) / SECOND) };
let underWay = 0;

beforeEach(() => {
  [asked, failures, underWay] = [[], [], 0];
  vi.stubGlobal("fetch", async (input: string | URL, init: RequestInit) => {
    const url = String(input).slice(ORIGIN.length);
    asked.push({ url, at: performance.now() });
    const failure = failures.shift();
    if (failure === "drop") throw new TypeError("fetch failed");
    if (failure) return new Response('{"error":"Busy."}', { status: 503, headers: { "Retry-After": WAITS[failure] } });
    underWay++;
    return answer(url, init).finally(() => underWay--);
  });
});

afterEach(() => {
  useRealTimers();
  vi.unstubAllGlobals();
});

/** Lets the client's time pass until this has happened, but never while the console is at work. */
async function inItsTime<Result>(promise: Promise<Result>): Promise<Result> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  promise.then(end, end);
  while (!isOver) {
    await new Promise(setImmediate);
    if (underWay === 0) vi.advanceTimersByTime(SECOND / 10);
  }
  return promise;
}

const moveTime = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });

test("the client reads every endpoint, and failures carry status, message and request id", async () => {
  const { accountId: id, token, id: server } = await newOwnedServer();
  const { id: service } = await newGameService(id);
  // As a file of a token ends.
  const api = new ConsoleApi({ origin: ORIGIN, token: `${token}\r\n` });
  expect(await api.getAccount()).toMatchObject({ id });
  expect(await api.listServers()).toMatchObject({ servers: [{ id: server }] });
  expect(await api.getServer(server)).toMatchObject({ id: server });
  expect(await api.listBenchmarks(server)).toEqual({ benchmarks: [] });
  expect(await api.listGameServices()).toMatchObject({ services: [{ id: service }] });
  expect(await api.getGameService(service)).toMatchObject({ id: service });
  expect(await api.getMetrics(service, { range: "24h" })).toEqual({ range: "24h", series: [] });
  const failure = (await api.getServer(2_147_483_647).catch((error: unknown) => error)) as ConsoleApiError;
  expect(failure).toBeInstanceOf(ConsoleApiError);
  const { status, message, retryAfter, requestId } = failure;
  expect([status, message, retryAfter, requestId?.length]).toEqual([404, "Not found.", null, 36]);
  failures.push("drop");
  await expect(api.getAccount()).rejects.toBeInstanceOf(ConsoleUnreachableError);
});

test("the client waits out a limit for as long as it is told to", async () => {
  const { id, token } = await newAccount();
  // From the first request on: the clock that is moved begins at 0, and the limit in memory counts by it.
  moveTime();
  const api = new ConsoleApi({ origin: ORIGIN, token });
  for (let sent = 0; sent < API_REQUESTS.limit; sent++) await api.getAccount();
  const impatient = new ConsoleApi({ origin: ORIGIN, token, maxWait: 0 });
  const refused = (await impatient.getAccount().catch((error: unknown) => error)) as ConsoleApiError;
  expect(refused.status).toBe(429);
  expect(refused.retryAfter).toBeGreaterThan(0);
  await expect(api.getAccount({ signal: AbortSignal.timeout(50) })).rejects.toThrow("timeout");
  expect((await inItsTime(api.getAccount())).id).toBe(id);
  const [before, after] = asked.slice(-2);
  expect((after?.at ?? 0) - (before?.at ?? 0)).toBeGreaterThanOrEqual(((refused.retryAfter ?? 0) - 1) * SECOND);
});

test("the client warns once, and only of a token that ends within 14 days", async () => {
  const { id, token } = await newAccount();
  const later = await newToken(id, new Date(Date.now() + 15 * DAY));
  const endsAt = new Date(Math.floor((Date.now() + 13 * DAY) / SECOND) * SECOND);
  const soon = await newToken(id, endsAt);
  const heard: string[] = [];
  for (const each of [token, later, soon]) {
    const api = new ConsoleApi({ origin: ORIGIN, token: each, warn: (message) => heard.push(message) });
    await api.getAccount();
    await api.getServer(2_147_483_647).catch(() => {});
  }
  expect(heard).toEqual([`The access token ends at ${endsAt.toISOString()}: replace it before.`]);
});

test("follow gives each interval once, late ones too, over failures and a restart", async () => {
  const { token, id: serviceId } = await newOwnedService();
  const now = Date.now();
  let restartedAt = 0;
  const start = (since?: number): Follower => {
    restartedAt = asked.length;
    const ending = new AbortController();
    const batches = new ConsoleApi({ origin: ORIGIN, token, maxWait: 0 }).follow(serviceId, {
      every: 0,
      signal: ending.signal,
      ...(since !== undefined && { since }),
    });
    return {
      next: async () => (await inItsTime(batches.next())).value as FollowedIntervals,
      skipTime: () => vi.advanceTimersByTime(31 * MINUTE),
      async stop() {
        ending.abort(new Error("stopped"));
        await expect(batches.next()).rejects.toThrow("stopped");
      },
    };
  };
  moveTime();
  const fail = () => failures.push("drop", "busy", "drop");
  expect(await playFollowing(serviceId, now, start, fail)).toEqual(FOLLOWED);
  const gaps = asked.slice(1).map((request, index) => request.at - (asked[index]?.at ?? 0));
  // Beginning anew after the restart is another follower.
  gaps.splice(restartedAt - 1, 1);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0.9 * SECOND);
  const depths = depthsOf(asked, now);
  expect(depths.slice(0, 4)).toEqual([null, 25, 25, 25]);
  expect(depths).toContain(10 + 150);
});

test("a Retry-After of months is waited for, with no request meanwhile", async () => {
  failures.push("away", "away");
  const ending = new AbortController();
  moveTime();
  const next = new ConsoleApi({ origin: ORIGIN, token: "cpat_x" }).follow(1, { signal: ending.signal }).next();
  const ended = expect(next).rejects.toThrow("stopped");
  await expect.poll(() => asked.length).toBe(1);
  // No timer can hold more than 24 days.
  for (let passed = 0; passed < 24; passed++) await vi.advanceTimersByTimeAsync(DAY);
  expect(asked).toHaveLength(1);
  ending.abort(new Error("stopped"));
  await ended;
});

test("follow ends with the first refusal that waiting does not help", async () => {
  const { token } = await newAccount();
  const batches = new ConsoleApi({ origin: ORIGIN, token }).follow(2_147_483_647);
  const failure = (await batches.next().catch((error: unknown) => error)) as ConsoleApiError;
  expect([failure.status, failure.message]).toEqual([404, "Not found."]);
});
