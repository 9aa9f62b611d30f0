import { newNamedToken } from "@/e2e/support/factories";
import { call } from "@/e2e/support/fixtures";
import { expect, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { SECOND } from "@/lib/format/time";

// Tokens that there are: filtered and replaced with scripts. Chosen and revoked: revoke-tokens.spec.ts. What the pages say: e2e/site.

test("a token replaced at once has ended, and the new one is shown", async ({ page, account }) => {
  const { raw: oldRaw, token: old } = await newNamedToken(account.id, "leaked");
  await page.goto(`${TOKEN_PAGE}/${old.id}`);
  await page.getByLabel("The old token ends").selectOption("none");
  await page.getByRole("button", { name: "Replace token" }).click();
  const field = page.getByLabel("Token", { exact: true });
  await expect(field).toHaveValue(/^cpat_[0-9A-Za-z]{36}$/);
  const newRaw = await field.inputValue();
  await expect(page.getByText("The old token has ended.")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Revoke", exact: true })).toHaveCount(0);
  expect((await call("/api/v1/me", newRaw)).status).toBe(200);
  expect((await call("/api/v1/me", oldRaw)).status).toBe(401);
});

test("the typed filter survives sorting by a column and goes on filtering", async ({ page, account }) => {
  for (const name of ["web a", "web b", "mail", "news", "shop", "wiki"]) await newNamedToken(account.id, name);
  await page.goto(TOKEN_PAGE);
  const names = page.getByRole("table", { name: "Active tokens", exact: true }).getByRole("rowheader").locator("a");
  const find = page.getByLabel("Find");
  await expect(async () => {
    // Long enough not to be in the last characters of another token by chance.
    await find.fill("WEB");
    await expect(page.getByRole("status").filter({ hasText: "2 of 6 tokens" })).toBeVisible({ timeout: SECOND });
  }).toPass();
  await expect(names.filter({ visible: true })).toHaveText(["web b", "web a"]);
  await page.getByRole("columnheader", { name: "Token" }).first().getByRole("link").click();
  await expect(page).toHaveURL(/sort=name&filter=WEB/);
  await expect(find).toHaveValue("WEB");
  await expect(names).toHaveText(["web a", "web b"]);
  await find.fill("mail");
  await expect(names).toHaveText(["mail"]);
  await find.fill("");
  await expect(names).toHaveText(["mail", "news", "shop", "web a", "web b", "wiki"]);
});

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
