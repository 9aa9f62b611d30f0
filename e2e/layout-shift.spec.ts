import type { Page } from "playwright/test";
import { createToken } from "@/lib/account-tokens";
import { call } from "./fixtures";
import { createOnPage, expect, TOKEN_PAGE, test } from "./pages";

// Nothing jumps under the reader's eyes: what moves, moves because the reader did something.

/** Below this nobody sees anything move; Web Vitals call ten times as much good. */
const INVISIBLE = 0.01;

type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };

test.beforeEach(async ({ page }) => {
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as Shift[]) if (!entry.hadRecentInput) shifts.push(entry.value);
    }).observe({ type: "layout-shift", buffered: true });
  });
});

/** How much of the page has moved by itself since it was loaded. */
async function shiftOf(page: Page): Promise<number> {
  return page.evaluate(async () => {
    await document.fonts.ready;
    // A shift is reported after the frame in which it happened.
    for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    await new Promise((resolve) => setTimeout(resolve));
    return (globalThis as unknown as { shifts: number[] }).shifts.reduce((sum, value) => sum + value, 0);
  });
}

test("the sign-in page does not jump while it loads", async ({ page }) => {
  await page.goto("/sign-in", { waitUntil: "networkidle" });
  await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
  expect(await shiftOf(page)).toBeLessThan(INVISIBLE);
});

for (const width of [390, 1280]) {
  test(`${width} pixels wide, the token page jumps neither while it loads, nor after a creation, nor at the first request`, async ({
    page,
    account,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    for (const name of ["one", "two", "three"]) await createToken(account.id, { name, expiresAt: null });
    await page.goto(TOKEN_PAGE, { waitUntil: "networkidle" });
    await expect(page.getByRole("row", { name: /three/ })).toBeVisible();
    expect(await shiftOf(page), "while loading").toBeLessThan(INVISIBLE);

    const raw = await createOnPage(page, "four");
    await expect(page.getByRole("row", { name: /four/ })).toBeVisible();
    // Only what moves half a second after a click counts as moving by itself.
    await page.waitForTimeout(1000);
    expect(await shiftOf(page), "after creating").toBeLessThan(INVISIBLE);

    await call("/api/v1/me", raw);
    await expect(page.getByRole("status").filter({ hasText: "First request received" })).toBeVisible({
      timeout: 15_000,
    });
    expect(await shiftOf(page), "at the first request").toBeLessThan(INVISIBLE);
  });
}
