import type { Page } from "playwright/test";
import { expectReadable } from "@/e2e/support/axe";
import { newGameService } from "@/e2e/support/factories";
import { INVISIBLE, listShifts, recordShifts, sumWhileLoading } from "@/e2e/support/layout-shift";
import { expect, test } from "@/e2e/support/pages";
import { BEGAN, NOW, reportingServer, urlOf } from "@/e2e/support/reporting-server";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { clockField } from "@/lib/format/time-range";

// What scripts do with charts of any time. All that these show: e2e/site/any-time.test.ts.

const fields = (page: Page) =>
  [page.getByLabel("From", { exact: true }), page.getByLabel("to", { exact: true })] as const;

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

test("a time dragged or marked by keyboard fills the fields, and Back leads back", async ({ page, account }) => {
  const id = await reportingServer(account.id);
  const shownFrom = async () => Date.parse(new URL(page.url()).searchParams.get("from") ?? "");
  const shownTo = async () => Date.parse(new URL(page.url()).searchParams.get("to") ?? "");
  await visit(page, urlOf(id, { from: NOW - 26 * HOUR, to: NOW - 2 * HOUR }));
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

test("charts of any time have no axe violation, fit and never jump", async ({ page, account }) => {
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
    await expectReadable(page);
  }
});
