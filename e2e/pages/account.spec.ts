import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { expect, openAccountMenu, signInDirectly, test } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";

const ACCOUNT = "/dashboard/settings/account";

test("a colour scheme is kept in the browser and is in the first bytes of every page", async ({
  page,
  context,
  account,
}) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(ACCOUNT);
  await page.getByLabel("Dark").check();
  await expect(page.locator("html")).toHaveAttribute("data-color-scheme", "dark");
  await expect(page.locator("body")).toHaveCSS("background-color", "rgb(14, 17, 17)");
  const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  for (const path of ["/", "/docs/api", "/no/such/page", ACCOUNT]) {
    const html = await (await fetch(new URL(path, page.url()), { headers: { Cookie: cookies } })).text();
    expect(html.slice(0, 200), path).toContain('data-color-scheme="dark"');
  }
  await page.getByLabel("System").check();
  await expect(page.locator("html")).not.toHaveAttribute("data-color-scheme");
  expect(account.id).toBeGreaterThan(0);
});

test("account: no axe violation in light and dark, and nothing wider than the screen from 320 to 3840 pixels", async ({
  page,
  account,
}) => {
  await db.session.updateMany({ where: { accountId: account.id }, data: { userAgent: "W".repeat(200) } });
  await signInDirectly(page.context(), account.id);
  await page.goto(ACCOUNT);
  await openAccountMenu(page);
  await expectToFit(page);
  await expectAccessible(page);
});

test("a navigation that takes longer than 150 ms shows that it is under way", async ({ page, account }) => {
  await page.goto("/dashboard");
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/dashboard/settings/api**", async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "API tokens" }).click();
  await expect(page.getByRole("progressbar", { name: "Loading the page" })).toBeVisible();
  release();
  await expect(page.getByRole("heading", { name: "API tokens" })).toBeVisible();
  await expect(page.getByRole("progressbar", { name: "Loading the page" })).toHaveCount(0);
  expect(account.id).toBeGreaterThan(0);
});
