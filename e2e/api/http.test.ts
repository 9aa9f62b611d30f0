import { expect, onTestFinished, test, vi } from "vitest";
import { answer, ask, call, expectFailure, getData, spend } from "@/e2e/support/ask";
import { bearer } from "@/e2e/support/calls";
import { newAccount, newGameService, newOwnedServer, newOwnedService, newToken } from "@/e2e/support/factories";
import { recordIntervals } from "@/e2e/support/record-intervals";
import { EXPOSED_HEADERS } from "@/lib/api/fixed-headers.mjs";
import { isLongFor, noteLength } from "@/lib/api/long-answers";
import { DAY, MINUTE } from "@/lib/format/time";
import { enterAtOnce, fairCounts } from "@/lib/process/fair";
import { API_REQUESTS } from "@/lib/rate-limit/policy";

// What HTTP asks of every endpoint. What no handler sees is in e2e/site/http.test.ts.

const NOT_ALLOWED = "Method not allowed. This API is read-only; use GET.";
const MISSING = 'Missing access token. Send "Authorization: Bearer <token>".';

test("HEAD of a list says nothing of how long its answer is", async () => {
  const { id, token } = await newAccount();
  noteLength("/api/v1/servers", id, 100_000);
  expect((await call("/api/v1/servers", token, { method: "HEAD" })).status).toBe(200);
  expect(isLongFor("/api/v1/servers", id)).toBe(true);
});

test("an account's long answers are made one at a time, short ones are not", async () => {
  // An account that is alone for a second gets more.
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { id, token } = await newAccount();
  const turns = () => fairCounts().heavy;
  const askOften = (path: string) => Promise.all(Array.from({ length: 4 }, () => getData(path, token)));
  const list = "/api/v1/servers";
  const before = { ...turns() };
  await askOften(list);
  expect(turns()).toEqual(before);
  // The last answer shows how long the next one is.
  noteLength(list, id, 100_000);
  const leave = enterAtOnce("heavy", id);
  const answers = askOften(list);
  await expect.poll(() => turns().waiting).toBe(before.waiting + 4);
  leave?.();
  await answers;
  // A week of a service is, whatever it holds.
  const { id: serviceId } = await newGameService(id);
  const sum = turns().atOnce + turns().waited;
  await askOften(`/api/v1/game-services/${serviceId}/metrics?range=7d`);
  expect(turns().atOnce + turns().waited).toBe(sum + 4);
});

test("a long answer keeps its account's place until it was read or given up", async () => {
  // An account that is alone for a second gets more, and one that kept the process busy rests.
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { accountId: id, token, id: serviceId } = await newOwnedService();
  const now = Date.now();
  await recordIntervals(Array.from({ length: 1000 }, (_, n) => ({ serviceId, ts: now - (n + 1) * MINUTE })));
  const isFree = () => {
    const leave = enterAtOnce("heavy", id);
    leave?.();
    return leave !== null;
  };
  for (const end of [(held: Response) => held.body?.cancel(), (held: Response) => held.text()]) {
    const path = `/api/v1/game-services/${serviceId}/metrics?range=7d`;
    const held = await answer(path, { headers: bearer(token) });
    expect(held.status).toBe(200);
    expect(isFree()).toBe(false);
    await end(held);
    expect(isFree()).toBe(true);
  }
});

/** A stranger does not learn that there is nothing. */
async function expectNowhere(token: string, base: string, paths: string[]): Promise<void> {
  for (const path of paths) {
    await expectFailure(call(base + path, null), 401, MISSING);
    await expectFailure(call(base + path, token), 404, "Not found.");
  }
}

test("a path that is none is 401 without a token and 404 with one", async () => {
  const { token } = await newAccount();
  await expectNowhere(token, "/api", ["", "/me", "/v2/me", "/v1", "/v1/", "/v1/nope", "/v1/ME", "/v1/constructor"]);
  await expectNowhere(token, "/api/v1", ["/me/more", "/servers/1/nope", "/servers/[id]", "/servers/__proto__"]);
});

test("methods other than GET, HEAD and OPTIONS are 405 with Allow on all paths", async () => {
  const { token } = await newAccount();
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "PROPFIND", "SEARCH", "REPORT"]) {
    for (const path of ["/api/v1/me", "/api/v1/servers/1", "/api/v1/nope", "/api/v1"]) {
      const answer = await expectFailure(call(path, token, { method }), 405, NOT_ALLOWED);
      expect(answer.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    }
    await expectFailure(call("/api/v1/me", null, { method }), 401, MISSING);
  }
});

test("a preflight is answered 204 without a token and is not counted", async () => {
  const { token } = await newAccount();
  for (const path of ["/api/v1/me", "/api/v1/game-services/1/metrics?range=1h", "/api/v1/nope"]) {
    const { status, headers } = await call(path, null, {
      method: "OPTIONS",
      headers: {
        Origin: "https://dashboard.example",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "authorization",
      },
    });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-headers")).toBe("Authorization, Content-Type");
    expect(headers.get("access-control-allow-methods")).toBe("GET, HEAD, OPTIONS");
    expect(headers.get("access-control-max-age")).toBe("7200");
    expect(headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  }
  expect((await call("/api/v1/me", token)).headers.get("x-ratelimit-remaining")).toBe(String(API_REQUESTS.limit - 1));
});

/** What a browser lets every page read, what concerns the connection alone, and what is not for the page. */
const NOT_FOR_PAGES =
  /^(?:access-control-.*|cache-control|content-(?:length|type|encoding)|connection|date|keep-alive|transfer-encoding|vary|x-content-type-options|www-authenticate|allow)$/;

test("the headers exposed to other origins are those of real answers, all documented", async () => {
  const { id: accountId } = await newAccount();
  const token = await newToken(accountId, new Date(Date.now() + DAY));
  const answers = [await call("/api/v1/me", token), await call("/api/v1/nope", token), await call("/api/v1/me", null)];
  await spend(token, API_REQUESTS.limit - 2);
  answers.push(await call("/api/v1/me", token));
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 401, 429]);
  const served = new Set(answers.flatMap(({ headers }) => [...headers.keys()]));
  const exposed = EXPOSED_HEADERS.split(", ");
  expect(exposed.map((name) => name.toLowerCase()).sort()).toEqual(
    [...served].filter((name) => !NOT_FOR_PAGES.test(name)).sort(),
  );
  for (const { headers } of answers) expect(headers.get("access-control-expose-headers")).toBe(EXPOSED_HEADERS);
  const reference = (await ask("/docs/api.md")).text;
  for (const name of exposed) expect(reference, name).toContain(`\`${name}\``);
});

test("a trailing slash is 404, so that an empty variable never lists everything", async () => {
  const { token, id } = await newOwnedServer();
  const paths = ["/servers/", `/servers/${id}/`, `/servers/${id}/benchmarks/`, "/game-services/", "/me/"];
  await expectNowhere(token, "/api/v1", paths);
});

test("an undecodable path is 401 without a token and 404 with one", async () => {
  const { token } = await newAccount();
  await expectNowhere(token, "/api/v1", ["/%E0%A4%A", "/%", "/servers/%zz", "/%ff/benchmarks", "/me%00"]);
});

test("a decodable path with percent signs is the path that it spells", async () => {
  const { token, id } = await newOwnedServer();
  const encoded = [...String(id)].map((digit) => `%3${digit}`).join("");
  expect((await call(`/api/v1/servers/${encoded}`, token)).status).toBe(200);
});

test("15 KB of path or query do no harm", async () => {
  const { token, id } = await newAccount();
  expect((await call(`/api/v1/me?${"x=1&".repeat(3800)}`, token)).json).toMatchObject({ data: { id } });
  expect((await call(`/api/v1/me?${"&".repeat(15_000)}`, token)).json).toMatchObject({ data: { id } });
  for (const segment of ["a", "%00", "%2e%2e%2f", "%C3%28"]) {
    const path = `/api/v1/servers/${segment.repeat(15_000 / segment.length)}`;
    await expectFailure(call(path, token), 404, "Not found.");
  }
});

test("every answer has a request id of its own, and none takes the client's", async () => {
  const { token } = await newAccount();
  const ids = new Set<string | null>();
  for (const path of ["/api/v1/me", "/api/v1/me", "/api/v1/nope"]) {
    ids.add((await call(path, token, { headers: { "X-Request-Id": "mine" } })).headers.get("x-request-id"));
  }
  ids.add((await call("/api/v1/me", null)).headers.get("x-request-id"));
  expect(ids.size).toBe(4);
  expect(ids).not.toContain("mine");
});
