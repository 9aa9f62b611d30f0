import { expectToFit } from "@/e2e/support/axe";
import { newAccount, newServer, putEvents } from "@/e2e/support/factories";
import { call } from "@/e2e/support/fixtures";
import { createOnPage, expect, signOut, submitSignIn, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { ENDPOINTS } from "@/lib/api/contract";
import { db } from "@/lib/database/client";
import { HOUR } from "@/lib/format/time";
import { API_REFERENCE } from "@/lib/page-paths";

// Pages without JavaScript are HTML, read in e2e/site. This is what a browser makes of them.
test.use({ javaScriptEnabled: false, viewport: { width: 375, height: 667 } });

test("without JavaScript tokens can be managed from sign-in to sign-out", async ({ page }) => {
  const { email, id } = await newAccount();
  await page.goto("/sign-in");
  await submitSignIn(page, email);
  await expect(page).toHaveURL("/dashboard");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "API tokens" }).click();
  const raw = await createOnPage(page, "by hand");
  // The value is in the page's text field, whole, so that it can be copied by hand.
  const field = page.getByLabel("Token", { exact: true });
  expect(await field.evaluate((one: HTMLInputElement) => one.readOnly && one.value.length)).toBe(41);
  expect((await call("/api/v1/me", raw)).status).toBe(200);
  await page.getByRole("link", { name: "Done" }).click();

  const { id: server } = await newServer(id);
  await putEvents(server, { kind: "offline", startedAt: new Date(Date.now() - HOUR), endedAt: null });
  await page.goto(`/dashboard/servers/${server}`);
  await expectToFit(page);

  await page.goto(TOKEN_PAGE);
  await page.getByRole("link", { name: "Revoke all" }).click();
  // The button ignores taps in its first half second.
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Revoke/ })
    .click();
  await expect(page.getByRole("status").filter({ hasText: /revoked/ })).toBeVisible();
  expect((await call("/api/v1/me", raw)).status).toBe(401);
  await signOut(page);
  await expect(page.getByText("You are signed out.")).toBeVisible();
  expect(await db.session.count({ where: { accountId: id, expiresAt: { gt: new Date() } } })).toBe(0);
});

test("without JavaScript the reference is unfolded, without a search and without Run", async ({ page }) => {
  await page.goto(API_REFERENCE);
  await expect(page.getByText("They are checked in this order")).toBeVisible();
  await expectToFit(page);
  await expect(page.getByRole("button", { name: "Show Errors" })).toHaveCount(0);
  await expect(page.getByRole("link", { name: "/me", exact: true })).toBeVisible();
  await expect(page.getByLabel("Find on this page")).toBeHidden();
  // Beside each endpoint's example, and a scrape.
  await expect(page.getByText("Run", { exact: true })).toHaveCount(ENDPOINTS.length + 1);
  for (const run of await page.getByText("Run", { exact: true }).all()) await expect(run).toBeHidden();
});
