import type { Locator } from "playwright/test";
import { stepText } from "@/e2e/support/chart-steps";
import { newNamedToken, newServer, putSample } from "@/e2e/support/factories";
import { visitCharts } from "@/e2e/support/page-states";
import { expect, test } from "@/e2e/support/pages";
import { NOW, reportingServer, urlOf } from "@/e2e/support/reporting-server";
import { serverWithPast } from "@/e2e/support/server-with-past";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { clockField } from "@/lib/format/time-range";

// Charts as a browser draws and moves them. Read as HTML or CSV: history, any-time and server-events of e2e/site.

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

test("arrow keys show a token's day, whose kinds have one name and look", async ({ page, account }) => {
  const { token } = await newNamedToken(account.id, "watched", { expiresAt: new Date(Date.now() + DAY) });
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

test("a time dragged or marked by keyboard fills the fields, and Back leads back", async ({ page, account }) => {
  const id = await reportingServer(account.id);
  const shownFrom = async () => Date.parse(new URL(page.url()).searchParams.get("from") ?? "");
  const shownTo = async () => Date.parse(new URL(page.url()).searchParams.get("to") ?? "");
  await visitCharts(page, urlOf(id, { from: NOW - 26 * HOUR, to: NOW - 2 * HOUR }));
  const fields = [page.getByLabel("From", { exact: true }), page.getByLabel("to", { exact: true })] as const;
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
  await expect(fields[0]).toHaveValue(clockField(await shownFrom(), "UTC"));
  await expect(fields[1]).toHaveValue(clockField(await shownTo(), "UTC"));
  await page.goBack();
  await expect(page).toHaveURL(before);
  await expect(fields[0]).toHaveValue(clockField(NOW - 26 * HOUR, "UTC"));

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

test("the Tab key can pass over ninety days, each leading to its history", async ({ page, account }) => {
  const { id } = await newServer(account.id, { createdAt: new Date(Date.now() - HOUR), lastSeenAt: new Date() });
  await putSample(id, new Date(), { cpuPct: 5 });
  await page.goto(`/dashboard/servers/${id}`);
  const days = page.getByRole("list", { name: "The last 90 days" }).getByRole("link");
  const topOf = async (part: Locator) => (await part.boundingBox())?.y ?? 0;
  const tops = [page.locator("h1"), days.first(), page.getByRole("region", { name: "Current values" })].map(topOf);
  expect(await Promise.all(tops)).toEqual((await Promise.all(tops)).toSorted((a, b) => a - b));
  await page.getByRole("link", { name: "Skip the 90 days" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  const components = page.getByRole("table", { name: /^The six components/ });
  await expect(components.getByRole("link").first()).toBeFocused();
  await days.last().click();
  await expect(page.getByRole("heading", { name: "History" })).toBeInViewport();
});
