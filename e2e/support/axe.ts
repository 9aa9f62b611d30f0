import axe, { type RunOptions } from "axe-core";
import { expect, type Page } from "playwright/test";

/**
 * Expects no violation of WCAG 2.2 AA as the page stands, in both colour schemes, narrow and wide. What a scheme changes
 * is colours, which two of the rules judge.
 */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const schemes: ["light" | "dark", RunOptions][] = [
    ["light", {}],
    ["dark", { runOnly: ["color-contrast", "link-in-text-block"] }],
  ];
  for (const [colorScheme, options] of schemes) {
    // Without motion, so that no colour is judged on its way to another.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await violationsOf(page, options), `${colorScheme}, width ${width}`).toEqual([]);
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

/** What axe finds wrong with the page as it stands, one line for each rule. */
async function violationsOf(page: Page, options: RunOptions): Promise<string[]> {
  const { violations } = await page.evaluate(
    (given) => (globalThis as unknown as { axe: typeof axe }).axe.run(given),
    options,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}
