import axe from "axe-core";
import { expect, type Page } from "playwright/test";

/** Expects no violation of WCAG 2.2 AA as the page stands, in both colour schemes, narrow and wide. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  for (const colorScheme of ["light", "dark"] as const) {
    // Disables motion, so that axe does not check a colour during a transition.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await violationsOf(page), `${colorScheme}, width ${width}`).toEqual([]);
    }
  }
}

/** Expects nothing to reach beyond the screen, from 320 pixels to 4K. */
export async function expectToFit(page: Page): Promise<void> {
  for (const width of [320, 768, 1280, 3840]) {
    await page.setViewportSize({ width, height: 900 });
    const used = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(used, `width ${width}`).toBeLessThanOrEqual(width);
  }
}

/** Runs axe, which the page must already contain. Returns one line per violated rule. */
async function violationsOf(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}
