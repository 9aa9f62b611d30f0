import axe from "axe-core";
import { expect, type Page } from "playwright/test";

/** The rules of axe that look at colours. A colour scheme changes nothing else. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** Expects no violation of WCAG 2.2 AA as the page stands, in both colour schemes, narrow and wide. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  for (const [colorScheme, rules] of [
    ["light", null],
    ["dark", OF_COLOURS],
  ] as const) {
    // Disables motion, so that axe does not check a colour during a transition.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await violationsOf(page, rules), `${colorScheme}, width ${width}`).toEqual([]);
    }
  }
}

/**
 * Expects no violation as the page stands: by all rules in light and wide, by those of colours in dark and narrow; and
 * nothing to reach beyond the screen. In CI each scheme is looked at in each width, up to 4K.
 */
export async function expectReadable(page: Page): Promise<void> {
  if (process.env.CI) {
    await expectToFit(page);
    await expectAccessible(page);
  } else {
    await page.evaluate(axe.source);
    for (const [colorScheme, width, rules] of [
      ["light", 1280, null],
      ["dark", 320, OF_COLOURS],
    ] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 900 });
      expect(await violationsOf(page, rules), `${colorScheme}, width ${width}`).toEqual([]);
    }
    await expectToFit(page, [320, 390, 1280]);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}

/** Expects nothing to reach beyond the screen, from 320 pixels to 4K. */
export async function expectToFit(page: Page, widths: readonly number[] = [320, 390, 768, 1280, 3840]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    const used = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(used, `width ${width}`).toBeLessThanOrEqual(width);
  }
}

/** Runs these rules of axe, or all. The page must already contain it. Returns one line per violated rule. */
async function violationsOf(page: Page, rules: readonly string[] | null): Promise<string[]> {
  const { violations } = await page.evaluate(
    (runOnly) => {
      const { run } = (globalThis as unknown as { axe: typeof axe }).axe;
      // Of what passes it would otherwise describe each element.
      return run({ resultTypes: ["violations"], ...(runOnly && { runOnly }) });
    },
    rules && [...rules],
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}
