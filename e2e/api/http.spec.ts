import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { chromium } from "playwright";
import { newAccount, newServer, newToken } from "@/e2e/support/factories";
import { askWhole, call, expect, expectFailure, sharedOrigin, spend, test } from "@/e2e/support/fixtures";
import { sendRaw } from "@/e2e/support/raw";
import { EXPOSED_HEADERS } from "@/lib/api/fixed-headers.mjs";
import { DAY } from "@/lib/format/time";
import { API_REQUESTS } from "@/lib/rate-limit/policy";

const NOT_ALLOWED = "Method not allowed. This API is read-only; use GET.";
const MISSING = 'Missing access token. Send "Authorization: Bearer <token>".';

for (const path of [
  "/api",
  "/api/me",
  "/api/v2/me",
  "/api/v1",
  "/api/v1/",
  "/api/v1/nope",
  "/api/v1/me/more",
  "/api/v1/servers/1/nope",
  "/api/v1/ME",
]) {
  test(`${path} is 401 without a token and 404 with one`, async () => {
    const { token } = await newAccount();
    await expectFailure(call(path, null), 401, MISSING);
    await expectFailure(call(path, token), 404, "Not found.");
  });
}

for (const method of ["POST", "PUT", "PATCH", "DELETE", "PROPFIND", "SEARCH", "REPORT"]) {
  test(`${method} is 405 with Allow on known and unknown paths, and 401 without a token`, async () => {
    const { token } = await newAccount();
    for (const path of ["/api/v1/me", "/api/v1/servers/1", "/api/v1/nope", "/api/v1"]) {
      const answer = await expectFailure(call(path, token, { method }), 405, NOT_ALLOWED);
      expect(answer.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    }
    await expectFailure(call("/api/v1/me", null, { method }), 401, MISSING);
  });
}

test("TRACE, which no fetch sends, is refused like any other method", async () => {
  const { token } = await newAccount();
  const answer = await sendRaw(
    `TRACE /api/v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 405 /);
  expect(answer).toMatch(/allow: GET, HEAD, OPTIONS/i);
  expect(answer).toContain(NOT_ALLOWED);
});

test("HEAD answers what GET answers, without a body, and counts", async () => {
  const { token } = await newAccount();
  const get = await call("/api/v1/me", token);
  const head = await call("/api/v1/me", token, { method: "HEAD" });
  expect(head.status).toBe(200);
  expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
  expect(head.headers.get("x-ratelimit-remaining")).toBe(String(API_REQUESTS.limit - 2));
  expect((await call("/api/v1/nope", token, { method: "HEAD" })).status).toBe(404);
  expect((await call("/api/v1/me", null, { method: "HEAD" })).status).toBe(401);
});

test("a preflight is answered 204 without a token, names Authorization and Content-Type, and is not counted", async () => {
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

test("the headers that pages of other origins may read are those that answers have, and the reference names each of them", async () => {
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
  const reference = await (await fetch(`${sharedOrigin()}/docs/api.md`)).text();
  for (const name of exposed) expect(reference, name).toContain(`\`${name}\``);
});

test("a page of another origin can call the API with a token and read the limit, on errors too", async () => {
  const { token } = await newAccount();
  const page = createServer((_, response) => response.end("<!doctype html>")).listen(0, "127.0.0.1");
  const browser = await chromium.launch(test.info().project.use.launchOptions);
  try {
    const tab = await browser.newPage();
    await tab.goto(`http://127.0.0.1:${(page.address() as AddressInfo).port}/`);
    const read = (path: string, authorization: string) =>
      tab.evaluate(
        async ([url, Authorization]) => {
          const response = await fetch(url as string, { headers: { Authorization: Authorization as string } });
          return {
            status: response.status,
            body: await response.text(),
            limit: response.headers.get("RateLimit"),
            remaining: response.headers.get("X-RateLimit-Remaining"),
            type: response.headers.get("Content-Type"),
            id: response.headers.get("X-Request-Id"),
          };
        },
        [sharedOrigin() + path, authorization],
      );
    const success = await read("/api/v1/me", `Bearer ${token}`);
    const left = String(API_REQUESTS.limit - 1);
    expect(success).toMatchObject({ status: 200, limit: `"default";r=${left};t=60`, remaining: left });
    expect(success.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await read("/api/v1/nope", `Bearer ${token}`)).toMatchObject({
      status: 404,
      remaining: String(API_REQUESTS.limit - 2),
    });
    expect(await read("/api/v1/me", "Bearer nonsense")).toMatchObject({ status: 401, limit: null });
    const scrape = await read("/metrics", `Bearer ${token}`);
    expect(scrape).toMatchObject({ status: 200, type: "text/plain; version=0.0.4; charset=utf-8", remaining: "117" });
    expect(await read("/metrics", "Bearer nonsense")).toMatchObject({
      status: 401,
      body: expect.stringMatching(/^Malformed/),
    });
  } finally {
    await browser.close();
    page.close();
  }
});

test("a trailing slash is the 404 of an empty id: a script with an empty variable never gets the list of all", async () => {
  const { token, id: accountId } = await newAccount();
  const { id } = await newServer(accountId);
  for (const path of ["/servers/", `/servers/${id}/`, `/servers/${id}/benchmarks/`, "/game-services/", "/me/"]) {
    await expectFailure(call(`/api/v1${path}`, null), 401, MISSING);
    await expectFailure(call(`/api/v1${path}`, token), 404, "Not found.");
  }
});

test("doubled slashes, as a base URL with a slash at its end makes them, change nothing", async () => {
  const { token, id } = await newAccount();
  for (const path of ["//api/v1/me", "/api//v1///me"]) {
    const { status, headers, text } = await askWhole(sharedOrigin() + path, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(status, path).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(JSON.parse(text)).toMatchObject({ data: { id } });
  }
});

test("a path that cannot be decoded is 401 without a token and the usual 404 with one, never a 500", async () => {
  const { token } = await newAccount();
  for (const path of [
    "/api/v1/%E0%A4%A",
    "/api/v1/%",
    "/api/v1/servers/%zz",
    "/api/v1/%ff/benchmarks",
    "/api/v1/me%00",
  ]) {
    await expectFailure(call(path, null), 401, MISSING);
    await expectFailure(call(path, token), 404, "Not found.");
  }
});

test("a decodable path with percent signs is the path that it spells", async () => {
  const { token, id: accountId } = await newAccount();
  const { id } = await newServer(accountId);
  const encoded = [...String(id)].map((digit) => `%3${digit}`).join("");
  expect((await call(`/api/v1/servers/${encoded}`, token)).status).toBe(200);
});

test("15 KB of path or query do no harm; 17 KB of headers are 431, as JSON", async () => {
  const { token, id } = await newAccount();
  expect((await call(`/api/v1/me?${"x=1&".repeat(3800)}`, token)).json).toMatchObject({ data: { id } });
  expect((await call(`/api/v1/me?${"&".repeat(15_000)}`, token)).json).toMatchObject({ data: { id } });
  for (const segment of ["a", "%00", "%2e%2e%2f", "%C3%28"]) {
    const path = `/api/v1/servers/${segment.repeat(15_000 / segment.length)}`;
    await expectFailure(call(path, token), 404, "Not found.");
  }
  await expectFailure(call(`/api/v1/me?${"x".repeat(17_000)}`, token), 431, "Request Header Fields Too Large.");
});

for (const [what, request] of [
  ["an unknown method", "FOO /api/v1/me HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["a broken header line", "GET /api/v1/me HTTP/1.1\r\nHost x\r\n\r\n"],
  ["no HTTP at all", "hello\r\n\r\n"],
  [
    "a body in a coding besides chunks",
    "POST /ingest/v1/check-ins HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
  ],
  [
    "a body in chunks of HTTP/1.0",
    "POST /ingest/v1/check-ins HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  ["OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
] as const) {
  test(`${what} is 400, as JSON with no-store`, async () => {
    const answer = await sendRaw(request);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/cache-control: no-store/i);
    expect(answer).toContain('{"error":"Bad Request."}');
  });
}

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

test("a request body is never read: a token in it is not a token, and a large one does no harm", async () => {
  const { token } = await newAccount();
  const { status } = await askWhole(`${sharedOrigin()}/api/v1/me`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body: "x".repeat(1_000_000),
  });
  expect(status).toBe(405);
});

test("a request that offers an upgrade, as HTTP/2 clients do, is answered like any other", async () => {
  const { token, id } = await newAccount();
  for (const path of ["/api/v1/me", "/api/v1/nope"]) {
    const answer = await sendRaw(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade, HTTP2-Settings, close\r\n` +
        "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
    );
    expect(answer).toMatch(path === "/api/v1/me" ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 404 /);
    expect(answer).toContain(path === "/api/v1/me" ? `"id":${id}` : "Not found.");
  }
});

test("a request pipelined behind one that offers an upgrade gets its answer, and so does one before it", async () => {
  const { token, id } = await newAccount();
  const line = (path: string, more: string) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`;
  const offer = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n";
  const answer = await sendRaw(
    line("/api/v1/servers", "") +
      line("/api/v1/nope", offer) +
      line("/api/v1/servers/0", offer) +
      line("/api/v1/me", "Connection: close\r\n"),
  );
  const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  expect(statuses).toEqual([200, 404, 404, 200]);
  expect(answer).toContain(`"id":${id}`);
});

test("/healthz and /readyz answer without a token, and tell nothing", async () => {
  for (const path of ["/healthz", "/readyz"]) {
    const { status, headers, text } = await askWhole(sharedOrigin() + path);
    expect([status, JSON.parse(text)]).toEqual([200, { status: "ok" }]);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-powered-by")).toBeNull();
  }
});
