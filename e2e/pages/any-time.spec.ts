import type { Page } from "playwright/test";
import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { stepText } from "@/e2e/support/chart-steps";
import { newGameService, newServer, putPast, putSample } from "@/e2e/support/factories";
import { INVISIBLE, listShifts, recordShifts, sumWhileLoading } from "@/e2e/support/layout-shift";
import { expect, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { momentText } from "@/lib/format/relative-time";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { clockField, rangeParams } from "@/lib/format/time-range";
import { instantsOf, wallClock } from "@/lib/format/time-zone";

const NOW = Math.floor(Date.now() / MINUTE) * MINUTE;
const BEGAN = NOW - 2 * DAY;

/** A server that has reported each minute of two days, with a CPU of 20, and once of 90. */
async function reportingServer(accountId: number, peakAt = NOW - 30 * HOUR): Promise<number> {
  const createdAt = new Date(BEGAN);
  const { id } = await newServer(accountId, {
    createdAt,
    firstSeenAt: createdAt,
    lastSeenAt: new Date(NOW),
    facts: { cores: 2 },
  });
  const values = { cpu_pct: `case when ts = '${new Date(peakAt).toISOString()}' then 90 else 20 end` };
  await putSample(id, new Date(NOW), { cpuPct: 20, memUsedMb: 500, memTotalMb: 1000, diskUsedPct: 40 });
  await putPast(id, { from: createdAt, to: new Date(NOW) }, values);
  return id;
}

/** Half past two in Berlin on the last day on which the clocks showed it so many times. */
function clockShown(times: 0 | 2): string {
  for (let at = NOW; ; at -= 12 * HOUR) {
    const clock = { ...wallClock(at, "Europe/Berlin"), hour: 2, minute: 30, second: 0 };
    if (instantsOf(clock, "Europe/Berlin").length === times) {
      return `${clockField(at, "Europe/Berlin").slice(0, 10)}T02:30`;
    }
  }
}

const figure = (page: Page, name: string) => page.getByRole("figure", { name, exact: true });
const fields = (page: Page) =>
  [page.getByLabel("From", { exact: true }), page.getByLabel("to", { exact: true })] as const;
const url = (id: number, range: { from: number; to: number }) =>
  `/dashboard/servers/${id}?${new URLSearchParams(rangeParams(range))}`;

/** Waits for the page. A busy machine may not sum up two days in time, or have no place for it: then it is asked again. */
async function shown(page: Page): Promise<void> {
  await expect(async () => {
    if (await page.getByText(/Its database does not answer\.|The console is busy/).isVisible()) await page.reload();
    await expect(fields(page)[0]).toBeVisible({ timeout: SECOND });
  }).toPass();
}

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await shown(page);
}

withAndWithoutJavaScript(() => {
  test("two fields show any time of a server by the clocks of the account, under a URL that means the same to everybody", async ({
    page,
    account,
  }) => {
    const zone = "Asia/Kathmandu";
    await db.account.update({ where: { id: account.id }, data: { timeZone: zone } });
    const peakAt = NOW - 30 * HOUR;
    const id = await reportingServer(account.id, peakAt);
    const range = { from: peakAt - 7 * MINUTE, to: peakAt + 33 * MINUTE };
    await visit(page, `/dashboard/servers/${id}?range=7d&q=we`);
    const [from, to] = fields(page);
    await from.fill(clockField(range.from, zone));
    await to.fill(clockField(range.to, zone));
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await expect(page).toHaveURL(new RegExp(`/${id}\\?q=we&from=`));
    await shown(page);
    const { searchParams } = new URL(page.url());
    expect(Object.fromEntries(searchParams)).toEqual({ q: "we", ...rangeParams(range) });
    await expect(from).toHaveValue(clockField(range.from, zone));
    await expect(to).toHaveValue(clockField(range.to, zone));
    await expect(page.locator("nav[aria-label='Time shown'] a[aria-current]")).toHaveCount(0);
    const named = new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
    await expect(page.getByRole("form", { name: "Any time" })).toContainText(named);
    await expect(figure(page, "CPU")).toContainText(`Busy highest ${momentText(new Date(peakAt), zone)}`);
    await expect(figure(page, "CPU").getByRole("cell", { name: "90 %", exact: true }).first()).toBeAttached();
    await expect(page.getByText("Each point is 1 minute, from check-ins.")).toBeVisible();
    // The present values are none of that time.
    const last = figure(page, "CPU")
      .getByRole("table", { name: /last value/ })
      .getByRole("row", { name: "Busy" });
    await expect(last.getByRole("cell").last()).toHaveText("20 %");
    await expect(page.getByRole("link", { name: "Download as CSV" })).toHaveAttribute("href", /from=.*Z&to=.*Z$/);
    // The same URL is the same time in another zone.
    await db.account.update({ where: { id: account.id }, data: { timeZone: "UTC" } });
    await page.reload();
    await shown(page);
    await expect(from).toHaveValue(clockField(range.from, "UTC"));
    await expect(figure(page, "CPU")).toContainText(`Busy highest ${momentText(new Date(peakAt), "UTC")}`);
    await page.goBack();
    await expect(page).toHaveURL(/range=7d/);
  });

  test("a time that is none, or not kept, is refused with a sentence beside charts of a day; one that is odd is shown with a sentence", {
    tag: "@with-javascript-alone",
  }, async ({ page, account }) => {
    await db.account.update({ where: { id: account.id }, data: { timeZone: "Europe/Berlin" } });
    const id = await reportingServer(account.id);
    const open = (from: string, to: string) =>
      visit(page, `/dashboard/servers/${id}?${new URLSearchParams({ from, to })}`);
    const refused = [
      ["", "", "Enter both times, each with a date and a time."],
      ["yesterday", "2026-11-22T10:00", "Enter both times, each with a date and a time."],
      [clockField(NOW, "UTC"), clockField(NOW - DAY, "UTC"), "This time ends before it begins."],
      ["9999-01-01T00:00", "9999-12-31T23:59", "This time has not come yet."],
      ["0000-01-01T00:00", "0000-01-02T00:00", "The history is kept for 400 days: there is no data before"],
    ] as const;
    for (const [from, to, sentence] of refused) {
      await open(from, to);
      const alert = page.getByRole("alert").filter({ hasText: sentence });
      await expect(alert).toContainText("Shown instead: the last 24 hours.");
      await expect(fields(page)[0]).toHaveAttribute("aria-invalid", "true");
      await expect(figure(page, "CPU").locator("[data-series='Busy'] path").first()).toHaveAttribute("d", /l/);
    }
    const odd = [
      ["0000-01-01T00:00", "9999-12-31T23:59", "the charts begin on"],
      [
        clockField(NOW - HOUR, "Europe/Berlin"),
        clockField(NOW + DAY, "Europe/Berlin"),
        "The rest of this time has not come yet.",
      ],
      [clockField(NOW - HOUR, "Europe/Berlin"), clockField(NOW - HOUR, "Europe/Berlin"), "The charts show 5 minutes"],
      [new Date(BEGAN - DAY).toISOString(), new Date(NOW).toISOString(), "There is no data of this server before"],
    ] as const;
    for (const [from, to, sentence] of odd) {
      await open(from, to);
      await expect(page.locator("p.notice", { hasText: sentence }), sentence).toBeVisible();
      await expect(figure(page, "CPU").locator("[data-series='Busy'] path").first()).toHaveAttribute("d", /M/);
    }
    // Before there was the server.
    await open(new Date(BEGAN - 3 * DAY).toISOString(), new Date(BEGAN - 2 * DAY).toISOString());
    await expect(page.locator("p.notice", { hasText: "There is no data of this server before" })).toBeVisible();
    await expect(figure(page, "CPU")).toContainText("Nothing was measured in this time.");
    // Hours of the last year that came twice, and never.
    for (const [times, said] of [
      [2, "twice: the time shown begins with the first."],
      [0, "it is read as"],
    ] as const) {
      const clock = clockShown(times);
      await open(clock, clock.replace("02:30", "05:00"));
      await expect(page.locator("p.notice", { hasText: said })).toContainText("The clocks of Europe/Berlin");
      await expect(figure(page, "CPU")).toContainText("Nothing was measured in this time.");
    }
  });
});

test("samples are drawn where they are, hours where they are not, and 400 days in at most a thousand points: the page says which", async ({
  page,
  account,
}) => {
  const { id } = await newServer(account.id, { createdAt: new Date(NOW - 399 * DAY), lastSeenAt: new Date(NOW) });
  await putPast(id, { from: new Date(NOW - 30 * HOUR), to: new Date(NOW) }, { cpu_pct: "20" });
  const old = Math.floor((NOW - 200 * DAY) / HOUR) * HOUR;
  await db.$executeRaw`
    insert into telemetry_hours (server_id, hour, seen, samples, reboots, oom_kills, cpu_pct_min, cpu_pct_avg, cpu_pct_max,
      score_min, score_avg, score_max)
    select ${id}, ts, 1, 60, 0, 0, 10, 20, case when ts = ${new Date(old)} then 88 else 30 end, 700, 800, 900
    from generate_series(date_trunc('hour', ${new Date(NOW - 399 * DAY)}, 'UTC'), ${new Date(NOW - 30 * HOUR)}, interval '1 hour') ts
    on conflict do nothing`;
  const pointsOf = async (chart: string, line: string) => {
    const path = await figure(page, chart).locator(`[data-series='${line}'] path`).last().getAttribute("d");
    return (path?.match(/-?\d+/g) ?? []).length / 2;
  };
  const points = () => pointsOf("CPU", "Busy");
  await visit(page, url(id, { from: NOW - 12 * HOUR, to: NOW - HOUR }));
  await expect(page.getByText("Each point is 1 minute, from check-ins.")).toBeVisible();
  // More than 500 are drawn two by two, and in a chart of half the width more than 300.
  const drawn = { wide: await pointsOf("Score", "Score"), narrow: await points() };
  expect(drawn.wide).toBeGreaterThan(320);
  expect(drawn.wide).toBeLessThan(340);
  expect(drawn.narrow).toBeGreaterThan(210);
  expect(drawn.narrow).toBeLessThan(230);
  await visit(page, url(id, { from: old - 2 * HOUR, to: old + 4 * HOUR }));
  await expect(
    page.getByText("Each point is 1 hour: check-ins are kept for 31 days, after that only hourly summaries."),
  ).toBeVisible();
  expect(await points()).toBe(6);
  await expect(figure(page, "CPU")).toContainText(`Busy highest ${momentText(new Date(old), "UTC")} to`);
  await visit(page, url(id, { from: NOW - 400 * DAY, to: NOW }));
  const each = page.getByText(/Each point is \d+ hours, from hourly summaries\./);
  const [, hours] = /(\d+) hours/.exec((await each.textContent()) ?? "") ?? [];
  expect(await points()).toBeGreaterThan(200);
  expect(await points()).toBeLessThanOrEqual(300);
  await expect(figure(page, "CPU")).toContainText(`Busy highest ${stepText(old, Number(hours) * HOUR, "UTC")}`);
  await figure(page, "CPU").getByText("Table").click();
  // Rows of two weeks.
  const rows = await figure(page, "CPU").getByRole("row").count();
  expect(rows).toBeGreaterThan(25);
  expect(rows).toBeLessThan(40);
});

test("a time that is dragged over, or marked with Space, moved over and shown with Enter, is the one of the fields, and Back leads back", async ({
  page,
  account,
}) => {
  const id = await reportingServer(account.id);
  const shownFrom = async () => Date.parse(new URL(page.url()).searchParams.get("from") ?? "");
  const shownTo = async () => Date.parse(new URL(page.url()).searchParams.get("to") ?? "");
  await visit(page, url(id, { from: NOW - 26 * HOUR, to: NOW - 2 * HOUR }));
  const cpu = page.getByRole("slider", { name: "CPU: values at a time" });
  await cpu.scrollIntoViewIfNeeded();
  const box = await cpu.boundingBox();
  if (!box) throw new Error("The chart is not there.");
  const drag = async (from: number, to: number) => {
    await page.mouse.move(box.x + box.width * from, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * to, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
  };
  // A press is none, and Escape takes one back.
  const before = page.url();
  await drag(0.5, 0.502);
  // From right to left: from six hours to twelve hours after the beginning.
  await drag(0.5, 0.25);
  await expect(page).not.toHaveURL(before);
  expect(Math.abs((await shownFrom()) - (NOW - 20 * HOUR))).toBeLessThan(10 * MINUTE);
  expect(Math.abs((await shownTo()) - (NOW - 14 * HOUR))).toBeLessThan(10 * MINUTE);
  await expect(fields(page)[0]).toHaveValue(clockField(await shownFrom(), "UTC"));
  await expect(fields(page)[1]).toHaveValue(clockField(await shownTo(), "UTC"));
  await page.goBack();
  await expect(page).toHaveURL(before);
  await expect(fields(page)[0]).toHaveValue(clockField(NOW - 26 * HOUR, "UTC"));

  // Points of two minutes, from the last one 60 back, and then 30 forward.
  await cpu.focus();
  await cpu.press("End");
  for (let n = 0; n < 6; n++) await cpu.press("PageDown");
  await cpu.press(" ");
  await expect(cpu).toHaveAttribute("aria-valuetext", /: Enter shows this time$/);
  await cpu.press("Escape");
  await expect(cpu).not.toHaveAttribute("aria-valuetext", /Enter shows this time/);
  await cpu.press(" ");
  for (let n = 0; n < 3; n++) await cpu.press("PageUp");
  await cpu.press("Enter");
  await expect(page).not.toHaveURL(before);
  expect((await shownTo()) - (await shownFrom())).toBe(31 * 2 * MINUTE);
  expect(Math.abs((await shownTo()) - (NOW - 3 * HOUR))).toBeLessThanOrEqual(4 * MINUTE);
});

withAndWithoutJavaScript(() => {
  test("any time of a game service is shown by the same fields, and what is odd is said", async ({ page, account }) => {
    const { id } = await newGameService(account.id, { createdAt: new Date(BEGAN) });
    await db.$executeRaw`
      insert into metric_samples (service_id, ts, node_id, packets, bytes, dropped, connections)
      select ${id}, ts, 1, 1000, 100000, 0, case when ts = ${new Date(NOW - 30 * HOUR)} then 77 else 3 end
      from generate_series(${new Date(BEGAN)}, ${new Date(NOW)}, interval '1 minute') ts`;
    const path = `/dashboard/game-services/${id}`;
    await visit(page, `${path}?range=7d&node=1`);
    const [from, to] = fields(page);
    const range = { from: NOW - 30 * HOUR - 10 * MINUTE, to: NOW - 30 * HOUR + 20 * MINUTE };
    await from.fill(clockField(range.from, "UTC"));
    await to.fill(clockField(range.to, "UTC"));
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await expect(page).toHaveURL(/from=.*Z/);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ node: "1", ...rangeParams(range) });
    const connections = figure(page, "Connections a minute");
    await expect(connections.getByRole("cell", { name: "77", exact: true }).first()).toBeAttached();
    await expect(page.locator("data[value='164']")).toBeVisible();
    await expect(page.getByText("Players now")).toHaveCount(0);
    await expect(page.getByText("Each point is 1 minute.")).toBeVisible();
    const ago = (ms: number) => new Date(NOW - ms).toISOString();
    for (const [begin, end, sentence] of [
      ["", "", "Enter both times, each with a date and a time. Shown instead: the last hour."],
      [ago(0), ago(HOUR), "This time ends before it begins."],
      [ago(30 * DAY), ago(20 * DAY), "Traffic is kept for 8 days"],
      [ago(7 * DAY), ago(6 * DAY), "there is no data before that."],
      [ago(7 * DAY), ago(0), "there is no data before that."],
      [ago(HOUR), ago(HOUR), "The charts show 5 minutes"],
    ] as const) {
      await visit(page, `${path}?${new URLSearchParams({ from: begin, to: end })}`);
      await expect(page.getByText(sentence), sentence).toBeVisible();
    }
  });
});

withAndWithoutJavaScript(() => {
  test("a time is compared with one a day, a week or 28 days before: a pale line, and a column of its own in the table", async ({
    page,
    account,
  }) => {
    const id = await reportingServer(account.id);
    // A day before, the CPU was at 60; there was no server 28 days before.
    const [from, to] = [NOW - 4 * HOUR, NOW - HOUR];
    await db.$executeRaw`
      update telemetry_samples set cpu_pct = 60
      where server_id = ${id} and at between ${new Date(from - DAY)} and ${new Date(to - DAY)}`;
    await visit(page, url(id, { from, to }));
    await expect(page.locator("[data-earlier]")).toHaveCount(0);
    await page.getByRole("navigation", { name: "Compare with" }).getByRole("link", { name: "a day before" }).click();
    await expect(page).toHaveURL(/from=.*&to=.*&compare=1d$/);
    const cpu = figure(page, "CPU");
    await expect(cpu.locator("[data-series='Busy'] [data-earlier]")).toHaveAttribute("d", /^M.*l/);
    await expect(page.getByText("Pale lines are the means a day before.")).toBeVisible();
    await cpu.getByText("Table").click();
    await expect(cpu.getByRole("columnheader", { name: "Mean a day before" })).toHaveCount(1);
    const [first] = await cpu
      .getByRole("row")
      .filter({ has: page.getByRole("rowheader") })
      .filter({ hasText: "100 %" })
      .all();
    await expect(first?.getByRole("cell").nth(2) ?? cpu).toHaveText("20 %");
    await expect(first?.getByRole("cell").nth(4) ?? cpu).toHaveText("60 %");
    // The fixed ranges and the form keep it.
    await page.getByRole("link", { name: "24 hours" }).click();
    await expect(page).toHaveURL(/range=24h&compare=1d/);
    await expect(cpu.locator("[data-earlier]").first()).toHaveAttribute("d", /^M.*l/);
    await page.getByRole("navigation", { name: "Compare with" }).getByRole("link", { name: "28 days before" }).click();
    await expect(page.getByText("Pale lines are the means 28 days before, of which there is no data.")).toBeVisible();
    await page.getByRole("navigation", { name: "Compare with" }).getByRole("link", { name: "nothing" }).click();
    await expect(page.locator("[data-earlier]")).toHaveCount(0);

    const service = await newGameService(account.id, { createdAt: new Date(BEGAN) });
    await db.$executeRaw`
      insert into metric_samples (service_id, ts, node_id, packets, bytes, dropped, connections)
      select ${service.id}, ts, 1, 1000, 100000, 0, case when ts < ${new Date(NOW - 12 * HOUR)} then 9 else 3 end
      from generate_series(${new Date(BEGAN)}, ${new Date(NOW)}, interval '1 minute') ts`;
    await visit(page, `/dashboard/game-services/${service.id}?range=1h&compare=1d`);
    const connections = figure(page, "Connections a minute");
    await expect(connections.locator("[data-earlier]")).toHaveAttribute("d", /^M.*l/);
    await connections.getByText("Table").click();
    await expect(connections.getByRole("columnheader", { name: "Mean a day before" })).toHaveCount(1);
    await expect(connections.getByRole("row").nth(4).getByRole("cell").last()).toHaveText("9");
  });
});

test("charts of any time have no axe violation, compared or refused, fit, and nothing of them jumps, 390 and 1280 pixels wide", async ({
  page,
  account,
}) => {
  const id = await reportingServer(account.id);
  const service = await newGameService(account.id, { createdAt: new Date(BEGAN) });
  await recordShifts(page);
  const ago = (ms: number) => new Date(NOW - ms).toISOString();
  const time = (from: number, to: number) => `?${new URLSearchParams({ from: ago(from), to: ago(to), compare: "1d" })}`;
  for (const path of [
    `/dashboard/servers/${id}${time(30 * HOUR, 6 * HOUR)}`,
    `/dashboard/servers/${id}${time(HOUR, 2 * HOUR)}`,
    `/dashboard/servers/${id}${time(10 * DAY, DAY)}`,
    `/dashboard/game-services/${service.id}${time(7 * DAY, DAY)}`,
  ]) {
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await visit(page, path);
      await page.waitForLoadState("networkidle");
      expect(sumWhileLoading(await listShifts(page)), `${width} ${path}`).toBeLessThan(INVISIBLE);
    }
    // These choose their own widths.
    await expectToFit(page);
    await expectAccessible(page);
  }
});
