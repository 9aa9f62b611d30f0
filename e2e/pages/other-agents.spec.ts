import { agentConfigurations } from "@/app/dashboard/servers/agent-configurations";
import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { newServer } from "@/e2e/support/factories";
import { sharedOrigin } from "@/e2e/support/fixtures";
import { expect, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";

// What the pages of a server offer to those who run other programs than our daemon, and what a benchmark needs.

withAndWithoutJavaScript(() => {
  test("a new server offers a configuration to paste for each of five agents, beside its key and on its page", async ({
    page,
    account,
  }) => {
    await page.goto("/dashboard/servers/new");
    await page.getByLabel("Label").fill("Web front");
    await page.getByLabel("Hostname").fill("web-1.example.com");
    await page.getByRole("button", { name: "Add server" }).click();
    await expect(page.getByText("sudo sh agent.sh install")).toBeVisible();
    const { id } = await db.server.findFirstOrThrow({ where: { accountId: account.id } });
    for (const path of [null, `/dashboard/servers/${id}`]) {
      if (path) await page.goto(path);
      // Five other ways are one line, until somebody asks for them.
      const others = page.locator("summary", { hasText: "Other ways to report: Prometheus" });
      await expect(others).toHaveCount(1);
      await expect(page.locator("details details").first()).toBeHidden();
      await others.click();
      for (const { name, place, text } of agentConfigurations(sharedOrigin())) {
        await page.locator("details details > summary", { hasText: name }).click();
        const shown = page.locator("figure", { hasText: place }).filter({ visible: true }).locator("code");
        expect(await shown.textContent()).toBe(text);
      }
    }
  });
});

test("the open configurations fit a narrow window and are accessible", { tag: "@one-engine" }, async ({
  page,
  account,
}) => {
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
