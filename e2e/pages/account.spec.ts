import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { PASSWORD, unique } from "@/e2e/support/factories";
import { expect, openAccountMenu, signInDirectly, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { HOUR } from "@/lib/format/time";
import { hashToken } from "@/lib/tokens/format";

const ACCOUNT = "/dashboard/settings/account";
withAndWithoutJavaScript((hasJavaScript) => {
  test("the menu says who is signed in and leads to the account; a new password ends all other sessions and keeps this one", async ({
    page,
    context,
    account,
  }) => {
    const mine = await db.session.findFirstOrThrow({ where: { accountId: account.id } });
    const other = await context.browser()?.newContext();
    if (!other) throw new Error("No browser.");
    await signInDirectly(other, account.id);
    await page.goto("/dashboard");
    await openAccountMenu(page);
    for (const text of [account.name, account.email, "Customer"]) {
      await expect(page.getByRole("banner").getByText(text, { exact: true }).first()).toBeVisible();
    }
    await page.getByRole("link", { name: "Account and sessions" }).click();
    await expect(page).toHaveURL(ACCOUNT);

    const type = async (current: string, next: string, again = next) => {
      await page.getByLabel("Current password").fill(current);
      await page.getByLabel("New password", { exact: true }).fill(next);
      await page.getByLabel("New password again").fill(again);
      await page.getByRole("button", { name: "Change password" }).click();
    };
    const alert = page.getByRole("alert");
    await type(PASSWORD, "too short");
    await expect(alert.filter({ hasText: "at least 12 characters" })).toBeVisible();
    await type(PASSWORD, "a new password 1", "a new password 2");
    await expect(alert.filter({ hasText: "not the same" })).toBeVisible();
    await type("a wrong password", "a new password 1");
    await expect(alert.filter({ hasText: "That is not your password." })).toBeVisible();
    await type(PASSWORD, "a new password 1");
    await expect(page.getByText("Your password is changed. 1 other browser was signed out.")).toBeVisible();
    const left = await db.session.findMany({ where: { accountId: account.id } });
    expect(left.map(({ publicId }) => publicId)).toEqual([mine.publicId]);
    const elsewhere = await other.newPage();
    await elsewhere.goto(new URL(ACCOUNT, page.url()).href);
    expect(elsewhere.url()).toContain("/sign-in?next=");
    await other.close();
    await page.reload();
    await expect(page.getByRole("heading", { name: "Account", exact: true })).toBeVisible();
  });

  test("sessions are listed by browser and ip without anything that signs in, and each and all others can be signed out, with the password an hour after sign-in", async ({
    page,
    account,
  }) => {
    const session = (name: string, userAgent: string) =>
      db.session.create({
        data: {
          tokenHash: hashToken(unique(name)),
          accountId: account.id,
          expiresAt: new Date(Date.now() + HOUR),
          ip: `192.0.2.${name.charCodeAt(0)}`,
          userAgent,
        },
      });
    await session("a", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0");
    await session("b", "curl/8.5.0");
    await session("c", "curl/8.6.0");
    await page.goto(ACCOUNT);
    const table = page.getByRole("table", { name: "Sessions" });
    await expect(table.getByRole("row")).toHaveCount(5);
    await expect(table.getByRole("row", { name: /Firefox on Linux/ })).toContainText("192.0.2.97");
    const html = await page.content();
    const hashes = { where: { accountId: account.id }, select: { tokenHash: true } };
    for (const { tokenHash } of await db.session.findMany(hashes)) {
      expect(html).not.toContain(tokenHash);
    }
    await table.getByRole("button", { name: /Sign out Firefox on Linux/ }).click();
    await expect(page.getByText("1 browser was signed out.")).toBeVisible();
    await expect(table.getByRole("row")).toHaveCount(4);

    await db.session.updateMany({ where: { accountId: account.id }, data: { authenticatedAt: new Date(0) } });
    await page.reload();
    await page.getByLabel("Your password").fill("a wrong password");
    await page.getByRole("button", { name: "Sign out all other browsers" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "That is not your password." })).toBeVisible();
    await expect(table.getByRole("row")).toHaveCount(4);
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign out all other browsers" }).click();
    await expect(page.getByText("2 browsers were signed out.")).toBeVisible();
    await expect(table.getByRole("row")).toHaveCount(2);
    await expect(table.getByText("This browser")).toBeVisible();
  });

  test("a colour scheme is kept in the browser and is in the first bytes of every page", async ({
    page,
    context,
    account,
  }) => {
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(ACCOUNT);
    await page.getByLabel("Dark").check();
    if (!hasJavaScript) await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect(page.locator("html")).toHaveAttribute("data-color-scheme", "dark");
    await expect(page.locator("body")).toHaveCSS("background-color", "rgb(14, 17, 17)");
    const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    for (const path of ["/", "/docs/api", "/no/such/page", ACCOUNT]) {
      const html = await (await fetch(new URL(path, page.url()), { headers: { Cookie: cookies } })).text();
      expect(html.slice(0, 200), path).toContain('data-color-scheme="dark"');
    }
    await page.getByLabel("System").check();
    if (!hasJavaScript) await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect(page.locator("html")).not.toHaveAttribute("data-color-scheme");
    expect(account.id).toBeGreaterThan(0);
  });
});

test("a session of another account is not ended, whatever id the form carries", { tag: "@one-engine" }, async ({
  page,
  account,
}) => {
  const stranger = await db.account.create({ data: { name: "s", email: `s${account.id}@sessions.example` } });
  const theirs = await db.session.create({
    data: {
      tokenHash: `s${account.id}`.padEnd(64, "0"),
      accountId: stranger.id,
      expiresAt: new Date(Date.now() + HOUR),
    },
  });
  const own = await db.session.create({
    data: {
      tokenHash: `o${account.id}`.padEnd(64, "0"),
      accountId: account.id,
      expiresAt: new Date(Date.now() + HOUR),
    },
  });
  await page.goto(ACCOUNT);
  const button = page.getByRole("table", { name: "Sessions" }).getByRole("button");
  await expect(button).toHaveAttribute("value", own.publicId);
  await button.evaluate((element: HTMLButtonElement, id) => {
    element.value = id;
  }, theirs.publicId);
  await button.click();
  await expect(page.getByText("Nothing was changed")).toBeVisible();
  const after = await db.session.findUniqueOrThrow({ where: { publicId: theirs.publicId } });
  expect(after.expiresAt).toEqual(theirs.expiresAt);
});

test("account: no axe violation in light and dark, and nothing wider than the screen from 320 to 3840 pixels", {
  tag: "@one-engine",
}, async ({ page, account }) => {
  await db.session.updateMany({ where: { accountId: account.id }, data: { userAgent: "W".repeat(200) } });
  await signInDirectly(page.context(), account.id);
  await page.goto(ACCOUNT);
  await openAccountMenu(page);
  await expectToFit(page);
  await expectAccessible(page);
});

test("a navigation that takes longer than 150 ms shows that it is under way", { tag: "@one-engine" }, async ({
  page,
  account,
}) => {
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
