import { expect, test } from "vitest";
import { newServer, putSample } from "@/e2e/support/factories";
import { origin } from "@/e2e/support/over-http";
import { serverWithPast } from "@/e2e/support/server-with-past";
import { newVisitor } from "@/e2e/support/site";
import type { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { quantity } from "@/lib/format/quantities";
import { DAY } from "@/lib/format/time";
import { HISTORY_MEASURES } from "@/lib/servers/telemetry/measurements";

// The history of a server as HTML and as CSV. What a browser draws: e2e/pages/charts.spec.ts.

const csvPath = (id: number) => `/dashboard/servers/${id}/history.csv?range=24h`;
const askCsv = (page: Visitor, id: number) => fetch(origin + csvPath(id), { headers: page.requestHeaders() });
/** What a legend names as the last value of a line. */
const lastValue = (page: Visitor, chart: string, line: string) =>
  page.textsOf(page.rows(new RegExp(`^${line}`), new RegExp(`^${chart}: .*last value$`)).find("td")).at(-1);

test("a history's CSV file has low, mean, high and count for each step", async () => {
  const { account, page } = await newVisitor();
  const { id } = await serverWithPast(account.id);
  const [head = "", ...lines] = (await (await askCsv(page, id)).text()).trim().split("\r\n");
  const measures = HISTORY_MEASURES.flatMap((measure) => ["low", "mean", "high"].map((of) => `${measure} ${of}`));
  expect(head.split(",")).toEqual(["server", "from", ...measures, "samples"]);
  const rows = lines.map((line) => line.split(","));
  for (const row of rows) expect(row).toHaveLength(head.split(",").length);
  // A step of the silence is missing.
  expect(rows.length).toBeGreaterThan(130);
  expect(rows.length).toBeLessThan(144);
  expect(rows.slice(1, -1).some((row) => row.at(-1) === "10")).toBe(true);
});

test("the score chart of a long silent server ends at its present score", async () => {
  const { account, page } = await newVisitor();
  const at = new Date(Date.now() - 2 * DAY);
  const { id } = await newServer(account.id, { createdAt: new Date(Date.now() - 10 * DAY), lastSeenAt: at });
  await putSample(id, at, { cpuPct: 20 });
  await page.goto(`/dashboard/servers/${id}?range=24h`);
  expect(lastValue(page, "Score", "Score")).toBe(page.textOf("[data-score]"));
  expect(page.textOf(page.part("CPU"))).toContain("Nothing was measured in this time.");
});

test("the last value that a legend names is the latest one, at every range", async () => {
  const { account, page } = await newVisitor();
  const { id } = await serverWithPast(account.id);
  const minutes = (await db.server.findUniqueOrThrow({ where: { id } })).lastSeenAt?.getUTCMinutes() ?? 0;
  for (const range of ["1h", "24h", "7d", "30d"]) {
    await page.goto(`/dashboard/servers/${id}?range=${range}`);
    expect(lastValue(page, "CPU", "Busy"), range).toBe(quantity(20 + minutes / 10, "percent"));
  }
});

test("only the session's account gets the history CSV, uncached and free of formulas", async () => {
  const { account, page } = await newVisitor();
  const { id } = await serverWithPast(account.id, "=cmd|' /C calc'!A0");
  const answer = await askCsv(page, id);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  const [head, first] = (await answer.text()).split("\r\n");
  expect(head).toMatch(/^server,from,score low,score mean,score high,cpuPct low/);
  expect(first).toMatch(/^"'=cmd\|' \/C calc'!A0",\d{4}-\d\d-\d\dT\d\d:\d\d:00.000Z,\d+/);
  expect((await fetch(origin + csvPath(id))).status).toBe(401);
  const { page: other } = await newVisitor();
  expect((await askCsv(other, id)).status).toBe(404);
});
