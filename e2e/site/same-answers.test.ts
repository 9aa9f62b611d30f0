import { expect, test } from "vitest";
import { CHECK_INS } from "@/e2e/support/agent-protocols";
import { ask, spend } from "@/e2e/support/ask";
import { bearer, type WholeAnswer } from "@/e2e/support/calls";
import { newAccount, newReportingServer } from "@/e2e/support/factories";
import { askOverHttp, callsOf, origin } from "@/e2e/support/over-http";
import { API_REQUESTS } from "@/lib/rate-limit/policy";

// What is tested in process holds over HTTP of the production build: the whole answers are the same. Those of the seven
// endpoints, refusals included, are in e2e/recording.

type Request = { path: string; method?: string; headers?: Record<string, string>; body?: string };

/** What differs between two answers: what concerns the connection, the moment, and the one request. */
const OF_ONE_ANSWER =
  /^(?:connection|content-encoding|content-length|date|keep-alive|transfer-encoding|vary|x-console-time|x-ratelimit-reset)$/;
const inOrder = ({ status, headers, text }: WholeAnswer) => ({
  status,
  headers: Object.fromEntries(
    [...headers]
      .filter(([name]) => !OF_ONE_ANSWER.test(name))
      .map(([name, value]) => [name, name === "x-request-id" ? "one" : masked(value)])
      .toSorted(),
  ),
  text: masked(text),
});
const masked = (text: string) =>
  text
    .replace(/^\d{1,2}$/, "N")
    .replace(/;t=\d+/, ";t=N")
    .replace(/Retry in \d+ seconds?/, "Retry in N seconds")
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, "ID");

/** Asks both ways, and answers the status that both have. */
async function statusOf({ path, headers = {}, ...init }: Request): Promise<number> {
  const overHttp = await askOverHttp(path, { ...init, headers });
  const inProcess = await ask(path, { ...init, headers: { Host: new URL(origin).host, ...headers } });
  expect(inOrder(overHttp), `${init.method ?? "GET"} ${path}`).toEqual(inOrder(inProcess));
  return overHttp.status;
}

test("/metrics answers 200, 401 and 405 over HTTP as in process", async () => {
  const { token } = await newAccount();
  const path = "/metrics";
  for (const method of ["GET", "HEAD"]) {
    expect(await statusOf({ path, method, headers: bearer(token) })).toBe(200);
    expect(await statusOf({ path, method })).toBe(401);
  }
  expect(await statusOf({ path, method: "POST", headers: bearer(token) })).toBe(405);
});

const JSON_TYPE = { "Content-Type": "application/json" };
const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
const mcp = (token: string, body = LIST): Request => ({
  path: "/mcp",
  method: "POST",
  headers: { ...JSON_TYPE, Accept: "application/json, text/event-stream", ...bearer(token) },
  body,
});

test("so it is with /mcp: 200, 400, 401, 403 and 405", async () => {
  const { token } = await newAccount();
  expect(await statusOf(mcp(token))).toBe(200);
  expect(await statusOf(mcp(token, "{no json"))).toBe(400);
  expect(await statusOf(mcp("cpat_mistyped"))).toBe(401);
  expect(
    await statusOf({ ...mcp(token), headers: { ...mcp(token).headers, Origin: "https://elsewhere.example" } }),
  ).toBe(403);
  for (const method of ["GET", "HEAD", "DELETE"]) {
    expect(await statusOf({ path: "/mcp", method, headers: bearer(token) })).toBe(405);
  }
});

test("so it is with check-ins: 200, 400, 401, 404, 405, 413 and 415", async () => {
  const { key } = await newReportingServer();
  const report = (body: string, more: Record<string, string> = {}): Request => ({
    path: CHECK_INS,
    method: "POST",
    headers: { ...JSON_TYPE, ...bearer(key), ...more },
    body,
  });
  // The second of the two is a sample that is there already.
  const sample = JSON.stringify({ sampled_at: Date.now(), cpu_pct: 5 });
  expect((await askOverHttp(CHECK_INS, report(sample))).status).toBe(200);
  expect(await statusOf(report(sample))).toBe(200);
  expect(await statusOf(report('{"cpu_pct":-1}'))).toBe(400);
  expect(await statusOf(report(sample, bearer("csrv_x")))).toBe(401);
  expect(await statusOf({ ...report(sample), path: "/ingest/v1/nothing" })).toBe(404);
  for (const method of ["GET", "HEAD", "PUT"]) expect(await statusOf({ path: CHECK_INS, method })).toBe(405);
  expect(await statusOf(report(sample.padEnd(16 * 1024 + 1)))).toBe(413);
  expect(await statusOf(report(sample, { "Content-Type": "text/plain" }))).toBe(415);
});

test("a used-up quota is 429 over HTTP as in process", async () => {
  const { id, token } = await newAccount();
  for (const one of [spend, callsOf(origin).spend]) await one(token, API_REQUESTS.limit);
  for (const method of ["GET", "HEAD"])
    expect(await statusOf({ path: "/metrics", method, headers: bearer(token) })).toBe(429);
  expect(await statusOf(mcp(token))).toBe(429);
  const { key } = await newReportingServer(id);
  // What is refused counts as well, and costs least.
  const report = { path: CHECK_INS, method: "POST", headers: { ...JSON_TYPE, ...bearer(key) }, body: "{" };
  for (const send of [ask, askOverHttp]) for (let sent = 0; sent < 300; sent++) await send(CHECK_INS, report);
  expect(await statusOf(report)).toBe(429);
});

test("each document answers over HTTP as in process, with 304 when unchanged", async () => {
  for (const path of ["/openapi.json", "/llms.txt", "/docs/api.md", "/docs/health-score.json", "/changelog.md"]) {
    for (const method of ["GET", "HEAD"]) expect(await statusOf({ path, method })).toBe(200);
    expect(await statusOf({ path, method: "OPTIONS" })).toBe(204);
    const { headers } = await askOverHttp(path);
    expect(await statusOf({ path, headers: { "If-None-Match": headers.get("etag") ?? "" } })).toBe(304);
  }
  for (const path of ["/healthz", "/readyz"]) {
    for (const method of ["GET", "HEAD"]) expect(await statusOf({ path, method })).toBe(200);
  }
  expect(await statusOf({ path: "/.well-known/security.txt" })).toBe(404);
});
