import { expect, test } from "vitest";
import { ask, findJudge } from "@/e2e/support/ask";
import { bearer } from "@/e2e/support/calls";
import { newAccount } from "@/e2e/support/factories";

const PATH = "/openapi.json";

test("the document is public to any origin and names the console that was asked", async () => {
  const response = await ask(PATH, { headers: { Host: "console.example" } });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(response.headers.get("set-cookie")).toBeNull();
  const document = JSON.parse(response.text) as { openapi: string; servers: { url: string }[] };
  expect(document.openapi).toBe("3.1.1");
  expect(document.servers.map((server) => server.url)).toEqual(["http://console.example"]);
});

test("a client that has the document gets 304, however it names it", async () => {
  const tag = (await ask(PATH)).headers.get("etag") ?? "";
  expect(tag).toMatch(/^W\/"[\w-]{43}"$/);
  for (const value of [tag, tag.slice(2), `"other", ${tag}`, "*"]) {
    const { status, headers, text } = await ask(PATH, { headers: { "If-None-Match": value } });
    expect([status, headers.get("etag"), text]).toEqual([304, tag, ""]);
  }
  expect((await ask(PATH, { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
});

test("a deviation from the document in status, headers or body is detected", async () => {
  const { token } = await newAccount();
  const answer = await ask("/api/v1/me", { headers: bearer(token) });
  const arrived = { ...answer, method: "GET", path: "/api/v1/me", status: 200 };
  const judge = await findJudge();
  const withHeader = (name: string, value: string | null) => {
    const headers = new Headers(arrived.headers);
    if (value === null) headers.delete(name);
    else headers.set(name, value);
    return { ...arrived, headers };
  };
  expect(judge(arrived)).toEqual([]);
  expect(judge({ ...arrived, status: 418 })).toEqual(["The status 418 is not described."]);
  expect(judge(withHeader("x-request-id", null))).toEqual(["The header X-Request-Id is absent."]);
  expect(judge(withHeader("x-powered-by", "somebody"))).toEqual(["The header x-powered-by is not described."]);
  expect(judge(withHeader("cache-control", "public"))).toHaveLength(1);
  expect(judge(withHeader("x-ratelimit-remaining", "-1"))).toHaveLength(1);
  expect(judge({ ...arrived, text: arrived.text.replace('"email"', '"mail"') })).toEqual([
    "The body: /data must have required property 'email'.",
  ]);
  expect(judge({ ...arrived, text: "{" })).toHaveLength(1);
});
