import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { newServer } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/pages";

test("pages with tags: no axe violation, nothing wider than the screen, and a row cuts the tags that it has no room for", async ({
  page,
  account,
}) => {
  const { id } = await newServer(account.id, { label: "alpha", tags: ["db", "eu west"] });
  await page.goto("/dashboard?tag=eu+west");
  await expect(page.locator(`[data-server="${id}"]`)).toContainText("#db #eu west");
  // A line has no room for ten of 32 characters.
  await expect(page.getByTitle("#db #eu west")).toHaveCSS("text-overflow", "ellipsis");
  await expectAccessible(page);
  await expectToFit(page);
  await page.goto("/dashboard/servers/tags");
  await page.getByRole("textbox", { name: "Add tags" }).fill("new");
  await page.getByRole("checkbox", { name: "alpha" }).check();
  await page.getByRole("button", { name: "Change tags" }).click();
  await expect(page.getByRole("status").filter({ hasText: "The tags of 1 server were changed." })).toBeVisible();
  await expectAccessible(page);
  await expectToFit(page);
});
