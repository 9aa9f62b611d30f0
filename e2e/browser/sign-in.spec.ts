import { newAccount } from "@/e2e/support/factories";
import { expect, signInDirectly, signOut, submitSignIn, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";

test("when a session ends, signing in, refused once, leads back to the filled form", async ({ page, context }) => {
  const { id, email } = await newAccount();
  await signInDirectly(context, id);
  await page.goto(TOKEN_PAGE);
  await page.getByLabel("Name").fill("typed before");
  await page.getByLabel("Expires").selectOption("90");
  await db.session.deleteMany({ where: { accountId: id } });
  await page.getByRole("button", { name: "Create token" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Your session ended." })).toBeVisible();
  await expect(page.getByLabel("E-mail")).toBeFocused();
  const url = page.url();
  await submitSignIn(page, email, "wrong password");
  await expect(page.getByRole("alert").filter({ hasText: "Wrong e-mail or password." })).toBeVisible();
  await expect(page.getByLabel("E-mail")).toHaveValue(email);
  await expect(page.getByLabel("Password")).toHaveValue("");
  await expect(page).toHaveURL(url);
  await submitSignIn(page, email);
  await page.waitForURL(TOKEN_PAGE);
  await expect(page.getByLabel("Name")).toHaveValue("typed before");
  await expect(page.getByLabel("Expires")).toHaveValue("90");

  // Signing out must leave no data for the next user of the browser.
  await signOut(page);
  await expect(page.getByText("You are signed out.")).toBeVisible();
  expect(await page.evaluate(() => window.sessionStorage.length)).toBe(0);
});

test("a page restored by the browser after its session ends becomes the sign-in page", async ({ page, context }) => {
  const { id } = await newAccount();
  await signInDirectly(context, id);
  await page.goto(TOKEN_PAGE);
  await db.session.deleteMany({ where: { accountId: id } });
  // Browsers keep a page whole only where they like to; this is what it is told then, as soon as its scripts listen.
  await expect(async () => {
    await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
    await expect(page.getByLabel("E-mail")).toBeVisible({ timeout: 5000 });
  }).toPass();
});
