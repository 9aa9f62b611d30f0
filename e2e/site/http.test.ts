import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { bearer } from "@/e2e/support/calls";
import { atArrival, startConsoleWithBundle } from "@/e2e/support/changed-bundle";
import { CONFIGURATION, insertNode } from "@/e2e/support/edge-nodes";
import { newAccount, newReportingServer } from "@/e2e/support/factories";
import { expectNoFrameworkHeaderToMatter } from "@/e2e/support/framework-headers";
import { insertCallerWithTokens } from "@/e2e/support/insert-caller";
import { askOverHttp, call, callsOf, origin } from "@/e2e/support/over-http";
import { runSql } from "@/e2e/support/run-sql";
import { createTestDatabase } from "@/e2e/support/test-database";
import { db } from "@/lib/database/client";
import { API_REQUESTS } from "@/lib/rate-limit/policy";

// What the server adds to the handlers, and what no handler sees. That everything else is answered as in process is
// shown in same-answers.test.ts and in e2e/recording.

test("a long answer is compressed for whom accepts gzip, and is the same text", async () => {
  const { id, token } = await newAccount();
  await db.server.createMany({
    data: Array.from({ length: 20 }, (_, n) => ({ accountId: id, label: `s${n}`, hostname: `s${n}.example.net` })),
  });
  const ask = (coding: string, path = "/api/v1/servers") =>
    askOverHttp(path, { headers: { ...bearer(token), "Accept-Encoding": coding } });
  const [plain, packed] = [await ask("identity"), await ask("gzip")];
  expect([plain.headers.get("content-encoding"), packed.headers.get("content-encoding")]).toEqual([null, "gzip"]);
  expect(packed.headers.get("vary")).toBe("Accept-Encoding");
  expect(plain.text.length).toBeGreaterThan(1024);
  expect(packed.text).toBe(plain.text);
  expect((await ask("gzip", "/api/v1/me")).headers.get("content-encoding")).toBeNull();
});

test("a text has a weak tag, compressed or not, and its client gets 304", async () => {
  const paths = ["/openapi.json", "/docs/api.md", "/llms.txt", "/changelog.md", "/docs/health-score.json"];
  const files = ["/clients/console-api.ts", "/agent.sh", "/error.css", "/logo.svg"];
  expect((await askOverHttp("/error.css")).headers.get("cache-control")).toBe("public, max-age=86400");
  for (const path of [...paths, ...files]) {
    for (const coding of ["identity", "gzip"]) {
      const headers = { "Accept-Encoding": coding };
      const tag = (await askOverHttp(path, { headers })).headers.get("etag") ?? "";
      expect(tag, `${path} ${coding}`).toMatch(/^W\/"[^"]+"$/);
      expect((await askOverHttp(path, { headers: { ...headers, "If-None-Match": tag } })).status, path).toBe(304);
    }
  }
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

test("a request with too long a head is 431 as the document says", async () => {
  const { token } = await newAccount();
  expect((await call(`/api/v1/me?${"x".repeat(17_000)}`, token)).status).toBe(431);
});

test("doubled slashes after a base URL change nothing", async () => {
  const { token, id } = await newAccount();
  for (const path of ["//api/v1/me", "/api//v1///me"]) {
    const { status, headers, text } = await askOverHttp(path, { headers: bearer(token) });
    expect(status, path).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(JSON.parse(text)).toMatchObject({ data: { id } });
  }
});

test("a path that programs guess for OAuth is 404 as JSON, by every method", async () => {
  const guessed = [
    ...["/register", "/authorize?client_id=x", "/token", "/token/"],
    ...["oauth-authorization-server", "oauth-protected-resource/mcp", "openid-configuration"].map(
      (name) => `/.well-known/${name}`,
    ),
  ];
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  for (const path of guessed) {
    for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"]) {
      const body = method === "POST" ? "grant_type=authorization_code" : null;
      const { status, headers, text } = await askOverHttp(path, { method, body, ...(body && { headers: form }) });
      expect([status, headers.get("content-type")], `${method} ${path}`).toEqual([
        404,
        "application/json; charset=utf-8",
      ]);
      expect(text).toBe(method === "HEAD" ? "" : '{"error":"Not Found."}');
    }
  }
});

test("sending to a missing page is 404 as JSON; an unknown form is 400", async () => {
  const statusAndType = async (path: string, init: RequestInit) => {
    const { status, headers } = await askOverHttp(path, init);
    return [status, headers.get("content-type")];
  };
  const json = { "Content-Type": "application/json" };
  const multipart = new FormData();
  multipart.set("grant_type", "client_credentials");
  for (const path of ["/oauth/token", "/sse", "/v1/me", "/docs/nothing"]) {
    for (const init of [
      { method: "POST", body: "{}", headers: json },
      { method: "POST", body: multipart },
      { method: "PUT", body: "{}", headers: json },
      { method: "DELETE" },
      { method: "OPTIONS" },
    ]) {
      expect(await statusAndType(path, init), `${init.method} ${path}`).toEqual([
        404,
        "application/json; charset=utf-8",
      ]);
    }
    expect(await statusAndType(path, {})).toEqual([404, "text/html; charset=utf-8"]);
  }
  for (const path of ["/sign-in", "/dashboard/servers/1"]) {
    const answer = await statusAndType(path, { method: "POST", body: "{}", headers: json });
    expect(answer, path).toEqual([400, "text/html; charset=utf-8"]);
  }
});

test("a missing file under /clients or /recipes is an HTML page with 404", async () => {
  for (const path of ["/clients/nope", "/clients/nope.ts", "/clients", "/recipes/nope.py", "/recipes/grafana/"]) {
    const { status, headers, text } = await askOverHttp(path);
    expect([status, headers.get("content-type")], path).toEqual([404, "text/html; charset=utf-8"]);
    expect(headers.get("access-control-allow-origin"), path).toBeNull();
    expect(headers.get("content-security-policy"), path).toContain("default-src 'none'");
    expect(text).toContain("There is no such page");
  }
  for (const path of ["/clients/console", "/recipes/unhealthy.py"]) {
    const { status, headers } = await askOverHttp(path);
    expect([status, headers.get("content-type")], path).toEqual([200, "text/plain; charset=utf-8"]);
    expect(headers.get("access-control-allow-origin"), path).toBe("*");
  }
});

test("a server key opens no page", async () => {
  const { key } = await newReportingServer((await newAccount()).id);
  for (const path of ["/dashboard", "/dashboard/settings/api"]) {
    const headers = { ...bearer(key), Cookie: `session=${key}` };
    const page = await askOverHttp(path, { headers });
    expect(page.headers.get("location") ?? "", path).toContain("/sign-in");
  }
});

test("/healthz and /readyz answer without a token, and tell nothing", async () => {
  for (const path of ["/healthz", "/readyz"]) {
    const { status, headers, text } = await askOverHttp(path);
    expect([status, JSON.parse(text)]).toEqual([200, { status: "ok" }]);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-powered-by")).toBeNull();
  }
});

test("no header that the framework knows changes an answer of the API", () => expectNoFrameworkHeaderToMatter(origin));

describe("a console of its own, for what breaks or ends it", async () => {
  const database = await createTestDatabase();
  const tokens = await insertCallerWithTokens(database.url, "caller@example.com", 3);
  const fails = 'if (request.url.includes("fault-here")) throw new Error("made to fail");\n';
  const app = await startConsoleWithBundle(database.url, (text) => atArrival(text, fails));
  const calls = callsOf(app.origin);
  // At the end nothing new is answered, the document that judges neither.
  await calls.findJudge();
  afterAll(async () => {
    await app.stop();
    await database.stop();
  });

  test("an unexpected fault is 500 without detail, and its stack is in the log", async () => {
    const [token = ""] = tokens;
    await runSql(database.url, "alter table servers rename to elsewhere");
    const path = "/api/v1/servers?secret=in-the-query";
    const answer = await calls.expectFailure(calls.call(path, token), 500, "Internal error.");
    const id = answer.headers.get("x-request-id");
    await expect.poll(() => app.output()).toContain(String(id));
    const lines = app
      .output()
      .split("\n")
      .filter((line) => line.includes(String(id)));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "error",
      event: "request failed",
      request_id: id,
      method: "GET",
      path: "/api/v1/servers",
      stack: expect.stringContaining("servers"),
    });
    expect(app.output()).not.toContain("in-the-query");
    expect(app.output()).not.toContain(token);
    expect((await calls.call("/api/v1/me", token)).status).toBe(200);
    await runSql(database.url, "alter table elsewhere rename to servers");
  });

  test("a fault of the server itself is a 500 page without detail", async () => {
    const answer = await fetch(`${app.origin}/sign-in?fault-here`);
    const [text, id] = [await answer.text(), String(answer.headers.get("x-request-id"))];
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
      ...[500, "text/html; charset=utf-8", "no-store"],
    ]);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(text).toContain("Something went wrong on our side");
    expect(text).toContain(id);
    expect(text).not.toContain("made to fail");
    await expect.poll(() => app.output()).toMatch(new RegExp(`${id}.*made to fail|made to fail.*${id}`));
    await calls.expectFailure(calls.call("/api/v1/me?fault-here", null), 500, "Internal error.");
    expect((await fetch(`${app.origin}/healthz`)).status).toBe(200);
  });

  test("at SIGTERM running requests finish, records are written, and new ones are refused", async () => {
    const [, used = "", other = ""] = tokens;
    const { key } = await insertNode(database.url, "edge");
    const read = (headers = {}) => fetch(app.origin + CONFIGURATION, { headers: { ...bearer(key), ...headers } });
    const etag = String((await read()).headers.get("etag"));
    const waiting = read({ "If-None-Match": etag, Prefer: "wait=25" });
    const me = (count: number) => Promise.all(Array.from({ length: count }, () => calls.call("/api/v1/me", used)));
    expect((await me(3)).map(({ status }) => status)).toEqual([200, 200, 200]);
    await runSql(database.url, "update access_tokens set revoked_at = now() where hint = $1", [used.slice(-4)]);
    // Nothing of the use of tokens is written before the signal, and one request waits.
    const blocker = new pg.Client(database.url);
    await blocker.connect();
    await blocker.query("begin");
    await blocker.query("lock table access_tokens in exclusive mode");
    await blocker.query("lock table game_services in access exclusive mode");
    expect((await me(25)).map(({ status }) => status)).toEqual(Array(25).fill(401));
    const running = calls.call("/api/v1/game-services", other);
    // Sent later, on a connection of its own: when it is answered, the one that waits for the lock has arrived.
    expect((await fetch(`${app.origin}/healthz`)).status).toBe(200);
    app.child.kill("SIGTERM");
    await expect
      .poll(() =>
        fetch(`${app.origin}/healthz`).then(
          () => "answered",
          () => "refused",
        ),
      )
      .toBe("refused");
    await blocker.query("rollback");
    await blocker.end();
    expect((await running).status).toBe(200);
    expect((await waiting).status).toBe(304);
    expect(await app.exited).toBe("exit code 0");
    const rows = await runSql(database.url, "select last_used_at, refused_count from access_tokens where hint = $1", [
      used.slice(-4),
    ]);
    expect(rows).toEqual([{ last_used_at: expect.any(Date), refused_count: 25 }]);
  });
});
