import { readFileSync } from "node:fs";
import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { sharedOrigin } from "@/e2e/support/fixtures";
import { expect, test } from "@/e2e/support/pages";
import { CHANGELOG } from "@/lib/page-paths";

test("the changelog is a page that fits every screen and a Markdown file that is the project's", async ({ page }) => {
  const served = await fetch(`${sharedOrigin()}/changelog.md`);
  expect(served.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
  const text = await served.text();
  expect(text).toBe(readFileSync("CHANGELOG.md", "utf8"));
  await page.goto(CHANGELOG);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Changelog");
  const releases = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title ?? "");
  await expect(page.getByRole("heading", { level: 2 })).toHaveText(releases);
  await expectAccessible(page);
  await expectToFit(page);
  await expect(page.getByRole("link", { name: "As Markdown" })).toHaveAttribute("href", "/changelog.md");
});
