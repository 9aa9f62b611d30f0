import { expect, test } from "vitest";
import { stepText } from "@/e2e/support/chart-steps";
import { newGameService, putPast } from "@/e2e/support/factories";
import { BEGAN, NOW, reportingServer, urlOf } from "@/e2e/support/reporting-server";
import { newVisitor, visitorWithServer, visitorWithService } from "@/e2e/support/site";
import type { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { momentText } from "@/lib/format/relative-time";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { clockField, rangeParams } from "@/lib/format/time-range";

// Charts of any time, read as HTML. Dragged over: e2e/pages/charts.spec.ts.

const figure = (page: Visitor, name: string) => page.part(name);
const pathsOf = (page: Visitor, chart: string, line: string) =>
  figure(page, chart).find(`[data-series='${line}'] path`);
const notices = (page: Visitor) => page.textsOf("p.notice").join(" ");
const times = (page: Visitor) => [page.value("From"), page.value("to")];
const paramsOf = (page: Visitor) => Object.fromEntries(new URL(page.url).searchParams);
const cellsOf = (page: Visitor, row: ReturnType<Visitor["rows"]>) => page.textsOf(row.find("td"));

test("two fields show any time of a server under one URL for all zones", async () => {
  const { account, page } = await newVisitor();
  const zone = "Asia/Kathmandu";
  const setZone = (timeZone: string) => db.account.update({ where: { id: account.id }, data: { timeZone } });
  await setZone(zone);
  const peakAt = NOW - 30 * HOUR;
  const id = await reportingServer(account.id, peakAt);
  const range = { from: peakAt - 7 * MINUTE, to: peakAt + 33 * MINUTE };
  await page.goto(`/dashboard/servers/${id}?range=7d&q=we`);
  const form = page.part("Any time");
  await page.press("Show", { From: clockField(range.from, zone), to: clockField(range.to, zone) }, { within: form });
  expect(page.path).toMatch(new RegExp(`/${id}\\?q=we&from=`));
  expect(paramsOf(page)).toEqual({ q: "we", ...rangeParams(range) });
  expect(times(page)).toEqual([clockField(range.from, zone), clockField(range.to, zone)]);
  expect(page.$("nav[aria-label='Time shown'] a[aria-current]").length).toBe(0);
  const named = new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
  expect(page.textOf(page.part("Any time"))).toContain(named);
  expect(page.textOf(figure(page, "CPU"))).toContain(`Busy highest ${momentText(new Date(peakAt), zone)}`);
  expect(page.textsOf(figure(page, "CPU").find("td"))).toContain("90 %");
  expect(page.text).toContain("Each point is 1 minute, from check-ins.");
  // The present values are none of that time.
  expect(cellsOf(page, page.rows(/^Busy/, /^CPU: .*last value$/)).at(-1)).toBe("20 %");
  expect(page.link("Download as CSV").attr("href")).toMatch(/from=.*Z&to=.*Z$/);
  // The same URL is the same time in another zone.
  await setZone("UTC");
  await page.reload();
  expect(page.value("From")).toBe(clockField(range.from, "UTC"));
  expect(page.textOf(figure(page, "CPU"))).toContain(`Busy highest ${momentText(new Date(peakAt), "UTC")}`);
});

test("an unusable time is refused and an odd one shown, each with a sentence", async () => {
  const { account, page } = await newVisitor();
  const id = await reportingServer(account.id);
  const open = (from: string, to: string) => page.goto(`/dashboard/servers/${id}?${new URLSearchParams({ from, to })}`);
  await open("0000-01-01T00:00", "0000-01-02T00:00");
  const gone = "The history is kept for 400 days: there is no data before";
  expect(page.alerts.find((alert) => alert.includes(gone))).toContain("Shown instead: the last 24 hours.");
  expect(page.field("From").attr("aria-invalid")).toBe("true");
  expect(pathsOf(page, "CPU", "Busy").first().attr("d")).toMatch(/l/);
  const ago = (days: number) => new Date(BEGAN - days * DAY).toISOString();
  await open(ago(1), new Date(NOW).toISOString());
  expect(notices(page)).toContain("There is no data of this server before");
  expect(pathsOf(page, "CPU", "Busy").first().attr("d")).toMatch(/M/);
  // Before there was the server.
  await open(ago(3), ago(2));
  expect(notices(page)).toContain("There is no data of this server before");
  expect(page.textOf(figure(page, "CPU"))).toContain("Nothing was measured in this time.");
});

test("charts draw samples, or hours where no samples are kept, and say which", async () => {
  const { page, id } = await visitorWithServer({ createdAt: new Date(NOW - 399 * DAY), lastSeenAt: new Date(NOW) });
  await putPast(id, { from: new Date(NOW - 30 * HOUR), to: new Date(NOW) }, { cpu_pct: "20" });
  const old = Math.floor((NOW - 200 * DAY) / HOUR) * HOUR;
  await db.$executeRaw`
    insert into telemetry_hours (server_id, hour, seen, samples, reboots, oom_kills, cpu_pct_min, cpu_pct_avg, cpu_pct_max,
      score_min, score_avg, score_max)
    select ${id}, ts, 1, 60, 0, 0, 10, 20, case when ts = ${new Date(old)} then 88 else 30 end, 700, 800, 900
    from generate_series(date_trunc('hour', ${new Date(NOW - 399 * DAY)}, 'UTC'), ${new Date(NOW - 30 * HOUR)}, interval '1 hour') ts
    on conflict do nothing`;
  const points = () => (pathsOf(page, "CPU", "Busy").last().attr("d")?.match(/-?\d+/g) ?? []).length / 2;
  await page.goto(urlOf(id, { from: NOW - 12 * HOUR, to: NOW - HOUR }));
  expect(page.text).toContain("Each point is 1 minute, from check-ins.");
  expect(points()).toBeGreaterThan(650);
  expect(points()).toBeLessThan(670);
  await page.goto(urlOf(id, { from: old - 2 * HOUR, to: old + 4 * HOUR }));
  expect(page.text).toContain(
    "Each point is 1 hour: check-ins are kept for 31 days, after that only hourly summaries.",
  );
  expect(points()).toBe(6);
  expect(page.textOf(figure(page, "CPU"))).toContain(`Busy highest ${momentText(new Date(old), "UTC")} to`);
  await page.goto(urlOf(id, { from: NOW - 400 * DAY, to: NOW }));
  const [, hours] = /Each point is (\d+) hours, from hourly summaries\./.exec(page.text) ?? [];
  expect(points()).toBeGreaterThan(700);
  expect(points()).toBeLessThanOrEqual(1000);
  expect(page.textOf(figure(page, "CPU"))).toContain(`Busy highest ${stepText(old, Number(hours) * HOUR, "UTC")}`);
  // Rows of months.
  const rows = figure(page, "CPU").find("details tr").length;
  expect(rows).toBeGreaterThan(13);
  expect(rows).toBeLessThan(20);
});

test("two fields show any time of a game service, with a sentence when odd", async () => {
  const { page, id } = await visitorWithService({ createdAt: new Date(BEGAN) });
  await db.$executeRaw`
    insert into metric_samples (service_id, ts, node_id, packets, bytes, dropped, connections)
    select ${id}, ts, 1, 1000, 100000, 0, case when ts = ${new Date(NOW - 30 * HOUR)} then 77 else 3 end
    from generate_series(${new Date(BEGAN)}, ${new Date(NOW)}, interval '1 minute') ts`;
  const path = `/dashboard/game-services/${id}`;
  await page.goto(`${path}?range=7d&node=1`);
  const range = { from: NOW - 30 * HOUR - 10 * MINUTE, to: NOW - 30 * HOUR + 20 * MINUTE };
  await page.press("Show", { From: clockField(range.from, "UTC"), to: clockField(range.to, "UTC") });
  expect(paramsOf(page)).toEqual({ node: "1", ...rangeParams(range) });
  expect(page.textsOf(figure(page, "Connections a minute").find("td"))).toContain("77");
  expect(page.$("data[value='164']").length).toBe(1);
  expect(page.text).not.toContain("Players now");
  expect(page.text).toContain("Each point is 1 minute.");
  const ago = (ms: number) => new Date(NOW - ms).toISOString();
  for (const [begin, end, sentence] of [
    [ago(30 * DAY), ago(20 * DAY), /Traffic is kept for 8 days: .* Shown instead: the last hour\./],
    [ago(7 * DAY), ago(0), /there is no data before that\./],
    [ago(HOUR), ago(HOUR), /The charts show 5 minutes/],
  ] as const) {
    await page.goto(`${path}?${new URLSearchParams({ from: begin, to: end })}`);
    expect(page.text).toMatch(sentence);
  }
});

test("a time can be compared with a day, a week or 28 days before", async () => {
  const { account, page } = await newVisitor();
  const id = await reportingServer(account.id);
  // A day before, the CPU was at 60; there was no server 28 days before.
  const [from, to] = [NOW - 4 * HOUR, NOW - HOUR];
  await db.$executeRaw`
    update telemetry_samples set cpu_pct = 60
    where server_id = ${id} and at between ${new Date(from - DAY)} and ${new Date(to - DAY)}`;
  const compare = (with_: string) => page.follow(with_, page.part("Compare with"));
  const earlier = (chart: string) => figure(page, chart).find("[data-earlier]").first().attr("d");
  await page.goto(urlOf(id, { from, to }));
  expect(page.$("[data-earlier]").length).toBe(0);
  await compare("a day before");
  expect(page.path).toMatch(/from=.*&to=.*&compare=1d$/);
  expect(figure(page, "CPU").find("[data-series='Busy'] [data-earlier]").attr("d")).toMatch(/^M.*l/);
  expect(page.text).toContain("Pale lines are the means a day before.");
  const headers = (chart: string) => page.textsOf(figure(page, chart).find("th[scope=col]"));
  expect(headers("CPU").filter((name) => name === "Mean a day before")).toHaveLength(1);
  const full = figure(page, "CPU")
    .find("tr:has(th[scope=row])")
    .filter((_, row) => page.textOf(page.$(row)).includes("100 %"));
  const cells = cellsOf(page, full.first());
  expect([cells[2], cells[4]]).toEqual(["20 %", "60 %"]);
  // The fixed ranges and the form keep it.
  await page.follow("24 hours");
  expect(page.path).toMatch(/range=24h&compare=1d/);
  expect(earlier("CPU")).toMatch(/^M.*l/);
  await compare("28 days before");
  expect(page.text).toContain("Pale lines are the means 28 days before, of which there is no data.");
  await compare("nothing");
  expect(page.$("[data-earlier]").length).toBe(0);

  const service = await newGameService(account.id, { createdAt: new Date(BEGAN) });
  await db.$executeRaw`
    insert into metric_samples (service_id, ts, node_id, packets, bytes, dropped, connections)
    select ${service.id}, ts, 1, 1000, 100000, 0, case when ts < ${new Date(NOW - 12 * HOUR)} then 9 else 3 end
    from generate_series(${new Date(BEGAN)}, ${new Date(NOW)}, interval '1 minute') ts`;
  await page.goto(`/dashboard/game-services/${service.id}?range=1h&compare=1d`);
  expect(earlier("Connections a minute")).toMatch(/^M.*l/);
  expect(headers("Connections a minute").filter((name) => name === "Mean a day before")).toHaveLength(1);
  expect(cellsOf(page, figure(page, "Connections a minute").find("tr").eq(4)).at(-1)).toBe("9");
});
