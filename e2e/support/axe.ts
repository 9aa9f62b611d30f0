import axe from "axe-core";
import type { Page } from "playwright/test";

/** What axe finds wrong with the page as it stands, one line for each rule. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}
