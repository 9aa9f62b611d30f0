import { newNamedToken } from "@/e2e/support/factories";
import { expect, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { SECOND } from "@/lib/format/time";

// Tokens that there are: replaced with scripts, and their times. Filtered and revoked: revoke-tokens.spec.ts. What the pages say: e2e/site.

test.describe("with a clock of its own", () => {
  test.use({ ownContext: true });

  test("times on the page move on by themselves", async ({ page, account }) => {
    await newNamedToken(account.id, "aging");
    await page.clock.install();
    await page.goto(TOKEN_PAGE);
    const row = page.getByRole("row", { name: /aging/ });
    await expect(row).toContainText(/just now|\d seconds ago/);
    // The page counts from when its script runs, which may be after its text is there.
    await expect(async () => {
      await page.clock.fastForward("00:10");
      await expect(row).toContainText(/\d seconds ago/, { timeout: SECOND });
    }).toPass();
    await page.clock.fastForward("03:00");
    await expect(row).toContainText("3 minutes ago");
  });
});
