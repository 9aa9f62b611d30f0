import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { newServer, putEvents, putSample } from "@/e2e/support/factories";
import { origin } from "@/e2e/support/over-http";
import { newVisitor } from "@/e2e/support/site";
import { needsProgram } from "@/e2e/support/unit-needs";
import type { Visitor } from "@/e2e/support/visitor";
import { clockText, momentText } from "@/lib/format/relative-time";
import { HOUR } from "@/lib/format/time";
import { rangeParams } from "@/lib/format/time-range";
import { instantOf, wallClock } from "@/lib/format/time-zone";

// Events of a server as marks, as a list and as its uptime. The marks under keys and mouse: e2e/browser/services.spec.ts.

/** A server known for so many hours and heard just now. */
async function serverOf(accountId: number, hours: number, now: number): Promise<{ id: number }> {
  const known = new Date(now - hours * HOUR);
  const server = await newServer(accountId, { createdAt: known, firstSeenAt: known, lastSeenAt: new Date(now) });
  await putSample(server.id, new Date(now), { cpuPct: 5 });
  return server;
}

/** As `serverOf`, with an outage of 36 seconds in the last hour. */
async function serverWithOutage(accountId: number, hours: number): Promise<number> {
  const now = Date.now();
  const { id } = await serverOf(accountId, hours, now);
  const [startedAt, endedAt] = [new Date(now - 0.03 * HOUR), new Date(now - 0.02 * HOUR)];
  await putEvents(id, { kind: "offline", startedAt, endedAt });
  return id;
}

test("a server's events are marked below its score and listed, newest first", async () => {
  const { account, page } = await newVisitor();
  const now = Date.now();
  const at = (hours: number) => new Date(now - hours * HOUR);
  const { id } = await serverOf(account.id, 20, now);
  const rows = [
    ["offline", 10, 9, {}],
    ["critical", 5, 4, { cause: "disk", score: 317 }],
    ["strained", 4, 3, { cause: "cpu", score: 667 }],
    ["disk_full", 5, null, { percent: 99 }],
    ["clock_wrong", 2, 1, { seconds: -90 }],
  ] as const;
  await putEvents(
    id,
    ...rows.map(([kind, from, to, facts]) => ({ kind, facts, startedAt: at(from), endedAt: to && at(to) })),
  );
  await page.goto(`/dashboard/servers/${id}?range=24h`);
  const score = page.part("Score");
  expect(score.find("[data-lane='5']").length).toBe(1);
  for (const [kind] of rows) expect(score.find(`rect[data-mark='${kind}']`).length, kind).toBe(1);
  // Each mark can be read by keyboard.
  const lane = score.find("[role=group], fieldset").filter((_, group) => page.nameOf(page.$(group)) === "Events");
  expect(lane.find("label > input[type=radio]").length).toBe(5);
  expect(page.textsOf(lane.find("label > span"))[0]).toContain(momentText(at(10), "UTC"));
  const list = score.find("[data-outages='5']");
  expect(page.textOf(list.find("summary"))).toBe(
    "Offline 1 time in 24 hours, 1 h in all. Critical 1 time in 24 hours, 1 h in all. Strained 1 time in 24 hours, 1 h in all. Disk full 1 time in 24 hours, 5 h in all. Clock wrong 1 time in 24 hours, 1 h in all.",
  );
  const items = page.textsOf(list.find("li"));
  expect(items[0]).toContain("◷ Clock wrong (2 min behind): ");
  expect(items[1]).toContain("▽ Strained (CPU, score 667): ");
  expect(page.textOf(list)).toContain("‼ Critical (Disk, score 317): ");
  expect(page.textOf(list)).toContain("■ Disk full (99 % used): since ");
  expect(items[4]).toMatch(new RegExp(`^✕ Offline: ${momentText(at(10), "UTC")} to .* UTC \\(1 h\\)$`));
  expect(page.textOf("main")).toMatch(new RegExp(`The server is known since .*${clockText(at(20), "UTC")} UTC\\.`));
});

test("a server's page shows uptime of five ranges and a strip of ninety days", async () => {
  const zone = "Europe/Berlin";
  const { account, page } = await newVisitor("customer", { timeZone: zone });
  const id = await serverWithOutage(account.id, 1);
  // The list that somebody came from goes on.
  const list = "show=offline&q=day";
  await page.goto(`/dashboard/servers/${id}?${list}`);
  expect(page.$("[data-uptime]").not("details *").length).toBe(5);
  for (const name of ["24 hours", "7 days", "30 days", "90 days", "365 days"]) {
    const row = page.textOf(`[data-uptime='${name}']`);
    expect(row).toMatch(/\d %: 3[67] s offline in 1 outage \(1 h recorded\)$/);
  }
  expect(page.textOf("#uptime")).toBe("Uptime");
  expect(page.textOf("main")).toContain("Recorded since");
  const days = page.part("The last 90 days").find("a");
  expect(days.length).toBe(90);
  const { year, month, day } = wallClock(Date.now(), zone);
  const midnight = (later: number) => instantOf({ year, month, day: day + later, hour: 0, minute: 0, second: 0 }, zone);
  const today = new URLSearchParams(rangeParams({ from: midnight(0), to: midnight(1) }));
  expect(days.last().attr("href")).toBe(`/dashboard/servers/${id}?${list}&${today}#history`);
  expect(days.first().attr("title")).toMatch(/: not recorded$/);
  expect(page.links("Skip the 90 days").length).toBe(1);
});

test("the recipe recomputes a page's uptime from its CSV, which no other account gets", async (context) => {
  needsProgram(context, "python3");
  const { account, page } = await newVisitor();
  const id = await serverWithOutage(account.id, 100);
  await page.goto(`/dashboard/servers/${id}`);
  const ask = (from: Visitor) =>
    fetch(`${origin}/dashboard/servers/${id}/events.csv`, { headers: from.requestHeaders() });
  const file = await ask(page);
  expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  const recipe = "cat | python3 public/recipes/uptime.py /dev/stdin";
  const said = execFileSync("sh", ["-c", recipe], { encoding: "utf8", input: await file.text() });
  for (const line of said.trim().split("\n")) {
    const [, name = "", seconds = ""] = /^(.*): .* %; (\d+) seconds in/.exec(line) ?? [];
    expect(page.$(`[data-uptime='${name}']`).attr("data-seconds"), line).toBe(seconds);
  }
  expect(said.trim().split("\n")).toHaveLength(5);
  const { page: other } = await newVisitor();
  expect((await ask(other)).status).toBe(404);
});
