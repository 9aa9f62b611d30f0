import { expect, test } from "vitest";
import { call } from "@/e2e/support/ask";
import { ENDPOINT_PATHS } from "@/e2e/support/calls";
import { facts, sample, send } from "@/e2e/support/check-ins";
import { newReportingServer, unusableKeys } from "@/e2e/support/factories";
import { recordQueries } from "@/e2e/support/recorded-queries";

// What a server key may do, and how many statements that costs. How often it may report: agent-endpoints.test.ts.

test("a missing key is one 401, and all unusable keys are another", async () => {
  const wrong = [...(await unusableKeys()), "x".repeat(9000)];
  const answers = await Promise.all(wrong.map((key) => send(key, sample)));
  for (const { status, json, headers } of answers) {
    expect({ status, json }).toEqual({ status: 401, json: { error: "Invalid or replaced server key." } });
    expect(headers.get("www-authenticate")).toBe('Bearer realm="console-ingest", error="invalid_token"');
  }
  expect(await send(null, sample)).toMatchObject({
    status: 401,
    json: { error: 'Missing server key. Send "Authorization: Bearer <server key>".' },
  });
});

test("a server key reads nothing, on any endpoint", async () => {
  const { key } = await newReportingServer();
  for (const path of [...ENDPOINT_PATHS, "/api/v1/nothing"]) {
    expect((await call(path, key)).status, path).toBe(401);
  }
});

test("the type of a check-in counts in any case and with a charset", async () => {
  const { key } = await newReportingServer();
  const headers = { "Content-Type": "Application/JSON; charset=utf-8" };
  expect((await send(key, sample, { headers })).status).toBe(200);
});

test("a check-in costs its key's lookup and one transaction; a mistyped key costs nothing", async () => {
  const { key } = await newReportingServer();
  const deliver = (raw: string) => send(raw, { ...sample, facts });
  const queries = await recordQueries(async () => expect((await deliver(key)).status).toBe(200));
  expect(queries.map(({ text }) => /^\s*(\w+)/.exec(text)?.[1])).toEqual([
    ...["select", "begin", "select", "select", "insert", "insert", "with", "commit"],
  ]);
  const mistyped = key.slice(0, -1) + (key.endsWith("a") ? "b" : "a");
  expect(await recordQueries(async () => expect((await deliver(mistyped)).status).toBe(401))).toEqual([]);
});
