import { expect, test } from "vitest";
import { AGENTS, typeOf } from "@/e2e/support/agent-protocols";
import { newReportingServer } from "@/e2e/support/factories";
import { origin } from "@/e2e/support/over-http";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { newVisitor } from "@/e2e/support/site";
import { db } from "@/lib/database/client";
import { MINUTE } from "@/lib/format/time";
import { serverPath } from "@/lib/page-paths";

const COLLECTD = "/ingest/collectd";
const POSTMAN = "/clients/console-api.postman.json";

test("the former path of collectd says what to use instead, by every method", async () => {
  for (const method of ["POST", "GET", "PUT", "DELETE"]) {
    const response = await fetch(origin + COLLECTD, { method, ...(method === "POST" && { body: "[]" }) });
    const type = response.headers.get("content-type");
    expect([response.status, type], method).toEqual([410, "application/json; charset=utf-8"]);
    expect(await response.json()).toEqual({
      error: expect.stringMatching(/^collectd .+ agent\.sh, Telegraf .+ same key\.$/),
    });
  }
});

test("the former path of the Postman collection says what to import instead", async () => {
  const response = await fetch(origin + POSTMAN, { headers: { Origin: "https://elsewhere.example" } });
  expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([410, "*"]);
  expect(await response.text()).toMatch(/^The collection .+ import \/openapi\.json .+\.\n$/);
});

test("a machine reported by collectd keeps its page and key for another agent", async () => {
  const { account, page } = await newVisitor();
  const { id, key } = await newReportingServer(account.id);
  await recordCheckIn(id, { sample: { cpuPct: 12 } });
  const { id: keyId } = await db.serverKey.findFirstOrThrow({ where: { serverId: id } });
  const ts = Date.now() - MINUTE;
  const instants = { last: { ts, until: ts, readings: { load5: 1 } }, open: null };
  const agent = { keyId, protocol: "collectd", host: "web-1", heardAt: new Date(), instants };
  await db.agentState.create({ data: agent });
  const { path = "", body } = AGENTS.Telegraf ?? {};
  const headers = { ...typeOf(path), Authorization: `Bearer ${key}` };
  const report = await fetch(origin + path, { method: "POST", headers, body: body?.(Date.now(), 0) ?? "" });
  expect(report.status).toBe(204);
  await page.goto(serverPath(id));
  expect(page.status).toBe(200);
  expect(page.text).toContain("12 %");
});
