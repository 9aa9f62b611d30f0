import type { Locator, Page } from "playwright/test";
import { stepText } from "@/e2e/support/chart-steps";
import { newNamedToken } from "@/e2e/support/factories";
import { expect, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { serverWithPast } from "@/e2e/support/server-with-past";
import { db } from "@/lib/database/client";
import { momentText } from "@/lib/format/relative-time";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";

// Charts as a browser draws and moves them. Read as HTML or CSV: e2e/site/history.test.ts.

const figure = (page: Page, name: string) => page.getByRole("figure", { name, exact: true });

withAndWithoutJavaScript(() => {
  test("every range names a twenty minute silence and dates a peak to its step", {
    tag: "@with-javascript-alone",
  }, async ({ page, account }) => {
    const zone = "Asia/Kathmandu";
    await db.account.update({ where: { id: account.id }, data: { timeZone: zone } });
    // Runtimes do not agree on the name of this zone.
    const named = new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
    const { id, silenceFrom, peakAt } = await serverWithPast(account.id);
    const moment = (at: number) => momentText(new Date(at), zone);
    for (const [range, step] of Object.entries({ "24h": 10 * MINUTE, "7d": HOUR, "30d": 4 * HOUR })) {
      await page.goto(`/dashboard/servers/${id}?range=${range}`);
      const note = figure(page, "Score").locator("[data-outages]");
      await expect(note.locator("summary"), range).toHaveText(
        new RegExp(
          `^Offline \\d times in (24 hours|7 days|30 days), .* in all\\. Now: since .*\\d\\d:\\d\\d ${named}\\.$`,
        ),
      );
      await expect(note, range).toContainText(`${moment(silenceFrom)} to`);
      await expect(note, range).toContainText(`${named} (20 min)`);
      const marks = await note.getAttribute("data-outages");
      expect(Number(marks), range).toBeGreaterThanOrEqual(2);
      await expect(figure(page, "Score").locator("[data-lane] rect"), range).toHaveCount(Number(marks));
      await expect(figure(page, "CPU").locator("[data-lane]"), range).toHaveCount(0);
      await expect(figure(page, "CPU").locator("[data-silences='2']"), range).toHaveAttribute("d", /^M[^z]+zM[^z]+z$/);
      await expect(figure(page, "CPU"), range).toContainText(`Busy highest ${stepText(peakAt, step, zone)} ${named}`);
    }
    await page.goto(`/dashboard/servers/${id}?range=24h`);
    await figure(page, "CPU").getByText("Table").click();
    // In this zone hours begin at a quarter past those of UTC.
    for (const heard of ["91 %", "75 %"]) {
      await expect(figure(page, "CPU").getByRole("cell", { name: heard, exact: true }).first()).toBeVisible();
    }
    const score = await page.locator("[data-score]").textContent();
    const last = figure(page, "Score")
      .getByRole("table", { name: /last value/ })
      .getByRole("cell")
      .last();
    await expect(last).toHaveText(score ?? "");
  });
});

test.describe("with a finger", () => {
  test.use({ hasTouch: true });

  test("keys, mouse and finger show all charts' values at one time; Escape hides them", async ({ page, account }) => {
    const { id, peakAt } = await serverWithPast(account.id);
    await page.goto(`/dashboard/servers/${id}?range=1h`);
    // The network lost nothing: its chart is folded.
    const cursors = page.getByRole("slider");
    await expect(cursors).toHaveCount(4);
    await page.getByText("Network: full score throughout").click();
    await expect(cursors).toHaveCount(5);
    const cpu = page.getByRole("slider", { name: "CPU: values at a time" });
    await cpu.focus();
    await cpu.press("End");
    const shown = (await cpu.getAttribute("aria-valuetext"))?.split(": ")[0] ?? "?";
    expect(shown).toMatch(/^\d+ \w+, \d\d:\d\d$/);
    await expect(cpu).toContainText("Busy");
    for (const cursor of await cursors.all()) {
      await expect(cursor).toHaveAttribute("aria-valuetext", new RegExp(`^${shown}: `));
    }
    await cpu.press("ArrowLeft");
    await expect(cpu).not.toHaveAttribute("aria-valuetext", new RegExp(`^${shown}: `));
    await cpu.press("Escape");
    await expect(cpu).not.toContainText("Busy");
    const memory = page.getByRole("slider", { name: "Memory: values at a time" });
    for (const point of [() => memory.tap(), () => memory.hover()]) {
      await page.goto(`/dashboard/servers/${id}?range=24h`);
      await point();
      await expect(memory).toContainText("Used 50 %");
      await expect(cpu).toContainText("Busy");
    }
    // The step with the highest value says when that was.
    await cpu.focus();
    await cpu.press("End");
    await expect(async () => {
      await cpu.press("ArrowLeft");
      expect(await cpu.getAttribute("aria-valuetext")).toContain(`highest ${stepText(peakAt, 10 * MINUTE, "UTC")} UTC`);
    }).toPass({ intervals: [0] });
  });
});

test("three lines differ by stroke, even in print and in forced colours", async ({ page, account }) => {
  const { id } = await serverWithPast(account.id);
  await page.goto(`/dashboard/servers/${id}?range=24h`);
  const lines = figure(page, "CPU").locator("g[data-series] path:nth-of-type(2)");
  const styles = () =>
    lines.evaluateAll((paths) =>
      paths.map((path) => ({ dashes: getComputedStyle(path).strokeDasharray, colour: getComputedStyle(path).stroke })),
    );
  for (const media of [{ media: "print" }, { media: "screen", forcedColors: "active" }] as const) {
    await page.emulateMedia(media);
    const drawn = await styles();
    expect(drawn).toHaveLength(3);
    expect(new Set(drawn.map(({ dashes }) => dashes)).size, JSON.stringify(drawn)).toBe(3);
  }
  await page.emulateMedia({ media: "print", forcedColors: "none", colorScheme: "dark" });
  expect(await page.locator("body").evaluate((body) => getComputedStyle(body).color)).toBe("rgb(22, 25, 26)");
  // Where a score is strained or critical is shaded in its chart.
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
  const fills = await figure(page, "Score")
    .locator("rect[data-level]")
    .evaluateAll((zones) => zones.map((zone) => [zone.getAttribute("data-level"), getComputedStyle(zone).fill]));
  expect(fills).toEqual([
    ["healthy", "none"],
    ["strained", "rgb(138, 83, 0)"],
    ["critical", "rgb(179, 38, 30)"],
  ]);
});

test("arrow keys show a token's day, whose kinds have one name and look", async ({ page, account }) => {
  const { token } = await newNamedToken(account.id, "watched", new Date(Date.now() + DAY));
  const hour = new Date(Math.floor(Date.now() / HOUR) * HOUR - HOUR);
  const counts = { requests: 500, limited: 11, refused: 7, peak: 131 };
  await db.tokenUseHour.create({ data: { tokenId: token.id, hour, ...counts } });
  await page.goto(`/dashboard/settings/api/${token.id}`);
  const cursor = page.getByRole("slider", { name: "Requests: values at a time" });
  await cursor.focus();
  await cursor.press("End");
  await expect(cursor).toHaveAttribute("aria-valuetext", / Answered 0; Over the limit \(429\) 0; Refused \(401\) 0$/);
  await cursor.press("ArrowLeft");
  await expect(cursor).toHaveAttribute(
    "aria-valuetext",
    / Answered 489; Over the limit \(429\) 11; Refused \(401\) 7$/,
  );
  const card = page.getByRole("figure").filter({ hasText: "Busiest minute" });
  const key = card.getByRole("listitem");
  const names = ["Answered", "Over the limit (429)", "Refused (401)"];
  await expect(key).toHaveText(names);
  await card.getByText("Table of Requests").click();
  await expect(card.getByRole("columnheader")).toHaveText(["From", ...names]);
  await expect(card.getByRole("row", { name: /489 11 7$/ })).toBeVisible();
  const looks = (of: Locator) =>
    of.evaluateAll((rects) => rects.map((rect) => `${getComputedStyle(rect).fill} ${getComputedStyle(rect).stroke}`));
  for (const forcedColors of ["none", "active"] as const) {
    await page.emulateMedia({ forcedColors });
    const drawn = await looks(key.locator("rect"));
    expect(new Set(drawn).size, String(drawn)).toBe(names.length);
    expect(await looks(card.getByRole("img").locator("rect"))).toEqual(drawn);
  }
});
