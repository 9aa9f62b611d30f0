import { newAccount, PASSWORD } from "@/e2e/support/factories";
import { expect, signOut, submitSignIn, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { setAccountDisabled } from "@/lib/accounts/accounts";
import { db } from "@/lib/database/client";

const REFUSED = "Wrong e-mail or password.";

test("e-mail and password lead to the servers, sign-out leads away and ends the session", async ({ page, context }) => {
  const { email, id } = await newAccount();
  await page.goto("/sign-in");
  await submitSignIn(page, email);
  await expect(page).toHaveURL("/dashboard");
  await expect(page.getByText(email).first()).toBeVisible();
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({ name: "session", httpOnly: true, sameSite: "Lax", path: "/", secure: false });

  await signOut(page);
  await expect(page.getByText("You are signed out.")).toBeVisible();
  expect(await db.session.count({ where: { accountId: id, expiresAt: { gt: new Date() } } })).toBe(0);
  await context.addCookies([{ ...(cookie as NonNullable<typeof cookie>), expires: -1 }]);
  await page.goto(TOKEN_PAGE);
  await expect(page).toHaveURL(/\/sign-in/);
});

test("an unknown e-mail, a wrong password and a disabled account get the same page; the e-mail stays, the password goes", async ({
  page,
}) => {
  const { email } = await newAccount();
  const disabled = await newAccount();
  await setAccountDisabled(disabled.email, true);
  for (const [typed, password] of [
    ["nobody@example.com", PASSWORD],
    [email, "wrong password"],
    [disabled.email, PASSWORD],
  ] as const) {
    await page.goto("/sign-in");
    const answered = page.waitForResponse((response) => response.request().method() === "POST");
    await submitSignIn(page, typed, password);
    expect((await answered).status()).toBe(200);
    await expect(page.getByRole("alert").filter({ hasText: REFUSED })).toBeVisible();
    await expect(page.getByLabel("E-mail")).toHaveValue(typed);
    await expect(page.getByLabel("Password")).toHaveValue("");
    await expect(page).toHaveURL(/\/sign-in$/);
  }
});
