import { agentConfigurations } from "@/app/dashboard/servers/agent-configurations";
import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { newServer } from "@/e2e/support/factories";
import { sharedOrigin } from "@/e2e/support/fixtures";
import { test } from "@/e2e/support/pages";

// What the pages of a server offer to those who run other programs than our daemon, and what a benchmark needs.

test("the open configurations fit a narrow window and are accessible", async ({ page, account }) => {
  const { id } = await newServer(account.id);
  await page.setViewportSize({ width: 320, height: 900 });
  await page.goto(`/dashboard/servers/${id}`);
  await page.locator("summary", { hasText: "Other ways to report" }).click();
  for (const { name } of agentConfigurations(sharedOrigin())) {
    await page.locator("details details > summary", { hasText: name }).click();
    await expectToFit(page);
  }
  await expectAccessible(page);
});
