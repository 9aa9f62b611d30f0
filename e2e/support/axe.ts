import { readFileSync } from "node:fs";
import type axe from "axe-core";
import { expect, type Page } from "playwright/test";

/** The package's own entry is twice as large. */
const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

/**
 * Expects no violation of WCAG 2.2 AA as the page stands, in light and wide and in dark and narrow, and nothing to reach
 * beyond the screen.
 */
export async function expectReadable(page: Page): Promise<void> {
  await page.evaluate(AXE);
  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 320],
  ] as const) {
    // Disables motion, so that axe does not check a colour during a transition.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 900 });
    expect(await violationsOf(page), `${colorScheme}, width ${width}`).toEqual([]);
    await expectFitAt(page, width);
  }
  for (const width of [390, 768, 3840]) await expectFitAt(page, width);
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}

/** Expects nothing to reach beyond the screen, from 320 pixels to 4K. */
export async function expectToFit(page: Page): Promise<void> {
  for (const width of [320, 390, 768, 1280, 3840]) await expectFitAt(page, width);
}

async function expectFitAt(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  const used = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(used, `width ${width}`).toBeLessThanOrEqual(width);
}

/** Runs axe, which the page must already contain. Returns one line per violated rule. */
async function violationsOf(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate(() => {
    const { run } = (globalThis as unknown as { axe: typeof axe }).axe;
    // Of what passes it would otherwise describe each element.
    return run({ resultTypes: ["violations"] });
  });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}
