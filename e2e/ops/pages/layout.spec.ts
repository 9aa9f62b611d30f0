import { newGameService, newNamedToken, newServer } from "@/e2e/support/factories";
import { INVISIBLE, listShifts, recordShifts, sumWhileLoading } from "@/e2e/support/layout-shift";
import { createOnPage, expect, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { recordCheckIn, WELL } from "@/e2e/support/record-check-in";
import { db } from "@/lib/database/client";
import { DAY } from "@/lib/format/time";
import { rangeParams } from "@/lib/format/time-range";
import { HISTORY_MEASURES } from "@/lib/servers/telemetry/measurements";

// Where the parts of pages stand, on screens of several widths.

test("a row is two lines on a phone and shows its whole cause everywhere", async ({ page, account }) => {
  const longAgo = new Date(Date.now() - 2 * DAY);
  for (const [label, sample] of [
    ["A disk is full", { ...WELL, diskUsedPct: 99 }],
    ["A swap", { ...WELL, swapUsedPct: 80 }],
    ["A network not measured", { ...WELL, netLossPct: null, netRetransmitPct: null }],
    ["A service that failed", { ...WELL, failedUnits: 3 }],
  ] as const) {
    const { id } = await newServer(account.id, { label, createdAt: longAgo, lastSeenAt: longAgo });
    await recordCheckIn(id, { sample });
  }
  for (const width of [375, 1024, 1280, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto("/dashboard");
    const rows = page.locator("tr[data-server]");
    await expect(rows).toHaveCount(4);
    for (const row of await rows.all()) {
      const cause = row.getByText(/^[A-Z]\w+: /).last();
      expect(await cause.evaluate((cell) => cell.scrollWidth - cell.clientWidth), String(width)).toBeLessThanOrEqual(0);
      const { height = 0 } = (await row.boundingBox()) ?? {};
      expect(height, String(width)).toBeLessThan(width === 375 ? 72 : 56);
    }
  }
});

test("names of 24 characters are shown whole, and all rows have one height", async ({ page, account }) => {
  const labels = ["Survival world 3 of Adam", "Cache"];
  for (const [index, label] of labels.entries()) {
    const { id } = await newServer(account.id, { label, createdAt: new Date(Date.now() - DAY) });
    await recordCheckIn(id, { sample: { cpuPct: 10, memUsedMb: 97, memTotalMb: 100, swapUsedPct: 90 * index } });
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto("/dashboard");
  for (const label of labels) {
    const name = page.getByRole("rowheader").getByRole("link", { name: label });
    expect(await name.evaluate((link) => link.scrollWidth - link.clientWidth), label).toBe(0);
  }
  const heights = await page
    .locator("tr[data-server]")
    .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
  // The last row has no line below it.
  expect(Math.max(...heights) - Math.min(...heights)).toBeLessThanOrEqual(1);
});

test("a game service's public hostname stays on one line at 1280 pixels", async ({ page, account }) => {
  const end = `-${account.id}.example.net`;
  // 25 characters, as many as "survival.play.example.net" has.
  const javaHostname = "survivalists".slice(0, 25 - end.length) + end;
  const { id } = await newGameService(account.id, { javaHostname });
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto("/dashboard/game-services");
  const lines = await page.locator(`#hostname-${id}`).evaluate((name) => {
    const text = document.createRange();
    text.selectNodeContents(name);
    return text.getClientRects().length;
  });
  expect(lines).toBe(1);
});

for (const width of [320, 375, 1280]) {
  test(`${width} pixels wide, the whole token is in sight, its end included`, async ({ page, account }) => {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(TOKEN_PAGE);
    await createOnPage(page, account.name);
    const hidden = await page
      .getByLabel("Token", { exact: true })
      .evaluate((field) => [field.scrollWidth - field.clientWidth, field.scrollHeight - field.clientHeight]);
    expect(hidden).toEqual([0, 0]);
  });
}

test("on a phone each sortable title has room, with its order arrow", async ({ page, account }) => {
  for (const name of ["alpha", "beta"]) await newNamedToken(account.id, name);
  await page.setViewportSize({ width: 375, height: 800 });
  await page.goto(TOKEN_PAGE);
  const titles = page.locator("thead th:has(a)");
  await expect(titles.filter({ hasText: "Created" }).locator("[data-order]")).toBeVisible();
  const cut = await titles.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
  expect(cut).toBe(0);
});

test("at 400 % zoom the token's name and both answers are in sight", async ({ page, account }) => {
  await page.setViewportSize({ width: 320, height: 256 });
  await newNamedToken(account.id, "Backup of the night");
  await page.goto(TOKEN_PAGE, { waitUntil: "networkidle" });
  await page.getByRole("link", { name: /Revoke Backup/ }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("heading", { name: "Backup of the night" })).toBeInViewport({ ratio: 1 });
  await expect(dialog.getByRole("link", { name: "Cancel" })).toBeInViewport({ ratio: 1 });
  await expect(dialog.getByRole("button", { name: "Revoke token" })).toBeInViewport({ ratio: 1 });
});

test("the reference aligns with other pages, its contents beside it on wide screens", async ({ page }) => {
  await page.goto("/docs/api");
  for (const width of [375, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const left = (name: string) =>
      page
        .locator(name)
        .first()
        .evaluate((part) => part.getBoundingClientRect().left);
    const header = await left("header a");
    for (const part of ["main h1", "main nav"]) expect(await left(part), `${part} at ${width}`).toBeCloseTo(header, 0);
    expect((await left("main section")) > header + 100, `beside the contents at ${width}`).toBe(width > 1200);
  }
});

test("a month of the noisiest history is under 60 KB and complete without JavaScript", async ({ page, account }) => {
  const { id } = await newServer(account.id, { createdAt: new Date(Date.now() - 40 * DAY), lastSeenAt: new Date() });
  // Every measurement over its whole range within every hour: the longest paths there are.
  const measures = HISTORY_MEASURES.map((measure) => measure.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const least = "(random() * 30 + n % 3)";
  await db.$executeRawUnsafe(
    `insert into telemetry_hours (server_id, hour, seen, samples, reboots, oom_kills,
       ${measures.flatMap((name) => ["min", "avg", "max"].map((of) => `${name}_${of}`)).join(", ")})
     select ${id}, date_trunc('hour', now(), 'UTC') - n * interval '1 hour', 1, 120, 0, 0,
       ${measures.map(() => `${least}, ${least} + 13, ${least} + 61 + 37 * random()`).join(", ")}
     from generate_series(1, 721) n`,
  );
  await recordShifts(page);
  const month = new URLSearchParams(rangeParams({ from: Date.now() - 30 * DAY, to: Date.now() }));
  const hours = await page.goto(`/dashboard/servers/${id}?${month}`, { waitUntil: "networkidle" });
  await expect(page.getByText("Each point is 1 hour, from hourly summaries.")).toBeVisible();
  const sizeOf = async (answer: typeof hours) => (await answer?.request().sizes())?.responseBodySize;
  expect(await sizeOf(hours)).toBeLessThan(70_000);
  const response = await page.goto(`/dashboard/servers/${id}?range=30d`, { waitUntil: "networkidle" });
  const size = await sizeOf(response);
  expect(size).toBeLessThan(60_000);
  expect(size).toBeGreaterThan(10_000);
  expect(sumWhileLoading(await listShifts(page))).toBeLessThan(INVISIBLE);

  const html = (await response?.text()) ?? "";
  for (const title of ["Score", "CPU", "Memory", "Fullest disk", "Network"])
    expect(html).toContain(`${title} in numbers`);
  expect(html).toContain("Times in UTC");
  expect(html.match(/data-series=/g)).toHaveLength(9);
  expect(html).not.toMatch(/ style="/);
});
