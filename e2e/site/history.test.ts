import { expect, test } from "vitest";
import { stepText } from "@/e2e/support/chart-steps";
import { newServer, putEvents, putSample } from "@/e2e/support/factories";
import { origin } from "@/e2e/support/over-http";
import { serverWithPast } from "@/e2e/support/server-with-past";
import { newVisitor } from "@/e2e/support/site";
import type { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { quantity } from "@/lib/format/quantities";
import { momentText } from "@/lib/format/relative-time";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
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

test("every range names a twenty minute silence and dates a peak to its step", async () => {
  const zone = "Asia/Kathmandu";
  const { account, page } = await newVisitor("customer", { timeZone: zone });
  // Runtimes do not agree on the name of this zone.
  const named = new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
  const { id, silenceFrom, peakAt } = await serverWithPast(account.id);
  // The console of these tests does not look itself who is silent.
  await putEvents(id, { kind: "offline", startedAt: new Date(Date.now() - 8 * MINUTE) });
  const shown = async (range: string) => {
    await page.goto(`/dashboard/servers/${id}?range=${range}`);
    return { score: page.part("Score"), cpu: page.part("CPU") };
  };
  for (const [range, step] of Object.entries({ "24h": 10 * MINUTE, "7d": HOUR, "30d": 4 * HOUR })) {
    const { score, cpu } = await shown(range);
    const note = score.find("[data-outages]");
    expect(page.textOf(note.find("summary")), range).toMatch(
      new RegExp(
        `^Offline \\d times in (24 hours|7 days|30 days), .* in all\\. Now: since .*\\d\\d:\\d\\d ${named}\\.$`,
      ),
    );
    expect(page.textOf(note), range).toContain(`${momentText(new Date(silenceFrom), zone)} to`);
    expect(page.textOf(note), range).toContain(`${named} (20 min)`);
    const marks = Number(note.attr("data-outages"));
    expect(marks, range).toBeGreaterThanOrEqual(2);
    expect(score.find("[data-lane] rect").length, range).toBe(marks);
    expect(cpu.find("[data-lane]").length, range).toBe(0);
    expect(cpu.find("[data-silences='2']").attr("d"), range).toMatch(/^M[^z]+zM[^z]+z$/);
    expect(page.textOf(cpu), range).toContain(`Busy highest ${stepText(peakAt, step, zone)} ${named}`);
  }
  const { cpu } = await shown("24h");
  // In this zone hours begin at a quarter past those of UTC.
  for (const heard of ["91 %", "75 %"]) expect(page.textsOf(cpu.find("td"))).toContain(heard);
  expect(lastValue(page, "Score", "Score")).toBe(page.textOf("[data-score]"));
});
