import type { Page } from "playwright/test";
import { expectReadable } from "@/e2e/support/axe";
import { newGameService, newNamedToken, newServer } from "@/e2e/support/factories";
import { call } from "@/e2e/support/fixtures";
import { INVISIBLE, listShifts, recordShifts, sumOf, sumWhileLoading } from "@/e2e/support/layout-shift";
import { visitCharts } from "@/e2e/support/page-states";
import { createOnPage, expect, renewNow, TOKEN_PAGE, test, untilTakenOver } from "@/e2e/support/pages";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { BEGAN, NOW, reportingServer } from "@/e2e/support/reporting-server";
import { DAY, HOUR, SECOND } from "@/lib/format/time";
import { ACCOUNT_PAGE, DASHBOARD, GAME_SERVICES } from "@/lib/page-paths";

test.use({ ownContext: true });

// Layout may only shift after a user action.

// When the new token appeared, which the user asked for.
type Answered = { answeredAt: number };

test.beforeEach(async ({ page }) => {
  await recordShifts(page);
  await page.addInitScript(() => {
    const answered: Answered = { answeredAt: Number.POSITIVE_INFINITY };
    Object.assign(globalThis, { answered });
    new MutationObserver((_, observer) => {
      if (!document.querySelector("#token")) return;
      answered.answeredAt = performance.now();
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
  });
});

/**
 * Sums the layout shifts since the page loaded. Excludes the replacement of the form by the new token, which the user
 * asked for.
 */
async function shiftOf(page: Page): Promise<number> {
  const shifts = await listShifts(page);
  const { answeredAt } = await page.evaluate(() => (globalThis as unknown as { answered: Answered }).answered);
  const earlier = shifts.filter(({ startTime, hadRecentInput }) => startTime < answeredAt && !hadRecentInput);
  const [_answer, ...later] = shifts.filter(({ startTime }) => startTime >= answeredAt);
  return sumOf([...earlier, ...later]);
}

test("the sign-in page does not jump while it loads", async ({ page }) => {
  // On a narrow screen the same jump is a larger part of what there is to see.
  await page.setViewportSize({ width: 390, height: 900 });
  await page.goto("/sign-in");
  await untilTakenOver(page);
  await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
  expect(await shiftOf(page)).toBeLessThan(INVISIBLE);
});

for (const width of [390, 1280]) {
  test(`${width} pixels wide, the token page never jumps from loading to first request`, async ({ page, account }) => {
    await page.setViewportSize({ width, height: 900 });
    for (const name of ["one", "two", "three"]) await newNamedToken(account.id, name);
    await page.goto(TOKEN_PAGE);
    await untilTakenOver(page);
    await expect(page.getByRole("row", { name: /three/ })).toBeVisible();
    expect(sumWhileLoading(await listShifts(page)), "while loading").toBeLessThan(INVISIBLE);

    const raw = await createOnPage(page, "four");
    await expect(page.getByRole("row", { name: /four/ })).toBeVisible();
    // Waiting is what shows that nothing comes late.
    await page.waitForTimeout(1000);
    expect(await shiftOf(page), "after creating").toBeLessThan(INVISIBLE);

    await call("/api/v1/me", raw);
    await expect(page.getByRole("status").filter({ hasText: "First request received" })).toBeVisible();
    expect(await shiftOf(page), "at the first request").toBeLessThan(INVISIBLE);
  });
}

for (const width of [390, 1280]) {
  test(`${width} pixels wide, fleet, account and service pages never jump while loading or refreshing`, async ({
    page,
    context,
    account,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    const lastSeenAt = new Date(Date.now() - DAY);
    for (const label of ["offline", "never"]) await newServer(account.id, { label });
    const { id } = await newServer(account.id, {
      label: "online",
      createdAt: lastSeenAt,
      firstSeenAt: lastSeenAt,
      lastSeenAt,
    });
    await recordCheckIn(id, { sample: { cpuPct: 71, memUsedMb: 1, memTotalMb: 2, diskUsedPct: 5 } });
    await newGameService(account.id);
    for (const path of [ACCOUNT_PAGE, GAME_SERVICES, DASHBOARD]) {
      await page.goto(path);
      await untilTakenOver(page);
      await expect(page.getByRole("table").getByRole("row").nth(1)).toBeVisible();
      expect(sumWhileLoading(await listShifts(page)), path).toBe(0);
    }

    const online = page.locator(`tr[data-server="${id}"]`);
    await recordCheckIn(id, { sample: { cpuPct: 100, memUsedMb: 2, memTotalMb: 2, diskUsedPct: 99 } });
    await expect(async () => {
      await renewNow(page);
      await expect(online).toHaveAttribute("data-group", "attention", { timeout: 2 * SECOND });
    }).toPass();
    // A number with more digits begins further to the left.
    expect(await shiftOf(page), "at a renewal").toBeLessThan(INVISIBLE);
    await context.setOffline(true);
    await renewNow(page);
    await expect(online).toContainText("Was online");
    expect(await shiftOf(page), "without the console").toBeLessThan(INVISIBLE);
  });
}

test("charts of any time have no axe violation, fit and never jump", async ({ page, account }) => {
  const id = await reportingServer(account.id);
  const service = await newGameService(account.id, { createdAt: new Date(BEGAN) });
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
      await visitCharts(page, path);
      await untilTakenOver(page);
      expect(sumWhileLoading(await listShifts(page)), `${width} ${path}`).toBeLessThan(INVISIBLE);
    }
    // These choose their own widths.
    await expectReadable(page);
  }
});
