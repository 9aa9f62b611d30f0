import type { Locator, Page } from "playwright/test";
import { newNamedToken } from "@/e2e/support/factories";
import { answerQuestion, expect, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { SECOND } from "@/lib/format/time";

// Tokens are filtered, sorted and revoked, with the question before it, where scripts or the browser itself matter.

test("a filter survives sorting, and those chosen of its rows are revoked, not others", async ({ page, account }) => {
  for (const name of ["alpha 1", "alpha 2", "beta 1", "beta 2", "gamma", "delta"]) {
    await newNamedToken(account.id, name);
  }
  await page.goto(TOKEN_PAGE);
  const names = page.getByRole("table", { name: "Active tokens", exact: true }).getByRole("rowheader").locator("a");
  const find = page.getByLabel("Find");
  const found = page.getByRole("status").filter({ hasText: "2 of 6 tokens" });
  await expect(async () => {
    // Long enough not to be in the last characters of another token by chance.
    await find.fill("ALPHA");
    await expect(found).toBeVisible({ timeout: SECOND });
  }).toPass();
  await expect(names.filter({ visible: true })).toHaveText(["alpha 2", "alpha 1"]);
  await page.getByRole("columnheader", { name: "Token" }).first().getByRole("link").click();
  await expect(page).toHaveURL(/sort=name&filter=ALPHA/);
  await expect(find).toHaveValue("ALPHA");
  await expect(names).toHaveText(["alpha 1", "alpha 2"]);
  await find.fill("gamma");
  await expect(names).toHaveText(["gamma"]);
  await find.fill("");
  await expect(names).toHaveText(["alpha 1", "alpha 2", "beta 1", "beta 2", "delta", "gamma"]);

  // Nothing is selected: nothing offers to revoke all.
  const all = page.getByRole("link", { name: "Revoke all" });
  await expect(all).toBeHidden();
  await find.fill("alpha");
  await expect(found).toBeVisible();
  await expect(page.getByRole("row", { name: /beta/ })).toHaveCount(0);
  const revoke = page.getByRole("button", { name: "Revoke selected" });
  await expect(revoke).toBeHidden();
  await page.getByLabel("Select all").check();
  const one = page.getByRole("checkbox", { name: "Select alpha 1," });
  await one.uncheck();
  await one.check();
  await expect(page.getByText("2 selected")).toBeVisible();
  await expect(all).toBeVisible();
  await revoke.click();
  const dialog = page.getByRole("dialog", { name: "Revoke 2 tokens?" });
  await expect(dialog.getByRole("listitem")).toHaveCount(2);
  await expect(dialog).toContainText("alpha 1");
  await expect(dialog).toContainText("alpha 2");
  await answerQuestion(page, "Revoke 2 tokens");
  await expect(page.getByRole("status").filter({ hasText: "2 tokens were revoked" })).toBeVisible();
  await expect(page.getByText("2 selected")).toHaveCount(0);
  const left = await db.accessToken.findMany({ where: { accountId: account.id, revokedAt: null } });
  expect(left.map(({ name }) => name).sort()).toEqual(["beta 1", "beta 2", "delta", "gamma"]);
});

test("the confirmation question comes and goes without a request, history entry or query", async ({
  page,
  context,
  account,
}) => {
  const { token } = await newNamedToken(account.id, "somewhere");
  await page.goto("/");
  await page.goto(TOKEN_PAGE, { waitUntil: "networkidle" });
  await context.setOffline(true);
  const opener = page.getByRole("link", { name: /Revoke somewhere/ });
  const dialog = page.getByRole("dialog", { name: "Revoke “somewhere”?" });
  for (const close of [
    () => dialog.getByRole("link", { name: "Cancel" }).click(),
    () => page.keyboard.press("Escape"),
    () => page.mouse.click(5, 5),
  ]) {
    await opener.click();
    await expect(dialog.getByRole("link", { name: "Cancel" })).toBeFocused();
    await close();
    await expect(dialog).toHaveCount(0);
    await expect(opener).toBeFocused();
    await expect(page).toHaveURL(TOKEN_PAGE);
  }
  await context.setOffline(false);
  await page.goBack();
  await expect(page).toHaveURL("/");

  // Nor does a reload ask again.
  await page.goto(`${TOKEN_PAGE}?revoke=${token.id}`, { waitUntil: "networkidle" });
  // The first key may come before the page listens.
  await expect(async () => {
    await page.keyboard.press("Escape");
    await expect(page).toHaveURL(TOKEN_PAGE, { timeout: SECOND });
  }).toPass();
  await page.reload();
  await expect(page.getByRole("row", { name: /somewhere/ })).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("a double tap revokes nothing, but a tap half a second later does", async ({ page, account }) => {
  await page.setViewportSize({ width: 375, height: 667 });
  const { token } = await newNamedToken(account.id, "slippery");
  const isRevoked = async () =>
    (await db.accessToken.findUniqueOrThrow({ where: { id: token.id } })).revokedAt !== null;
  await page.goto(TOKEN_PAGE, { waitUntil: "networkidle" });
  await page.getByRole("link", { name: /Revoke slippery/ }).click();
  const button = page.getByRole("dialog").getByRole("button", { name: "Revoke token" });
  const box = await button.boundingBox();
  if (!box) throw new Error("The button is nowhere.");
  const delay = await button.evaluate((element) => {
    // The rule runs anew, because the half second may be over, and lasts for as long as the test needs.
    element.style.animation = "none";
    element.getBoundingClientRect();
    element.style.animation = "";
    const [animation] = element.getAnimations();
    animation?.pause();
    return animation?.effect?.getComputedTiming().duration;
  });
  expect(delay).toBe(500);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.click(x, y);
  await expect(button).toBeVisible();
  expect(await isRevoked()).toBe(false);
  await page.keyboard.press("Escape");

  // The link moved under the place where the button will be, so that both taps meet the same point.
  await page.getByRole("link", { name: /Revoke slippery/ }).evaluate(
    (link, [left, top]) => {
      link.style.cssText = `position: fixed; left: ${left}px; top: ${top}px; z-index: 9`;
    },
    [x - 10, y - 8] as const,
  );
  await page.mouse.dblclick(x, y);
  await expect(button).toBeVisible();
  expect(await isRevoked()).toBe(false);
  await answerQuestion(page, "Revoke token");
  await expect(page.getByRole("status").filter({ hasText: "was revoked" })).toBeVisible();
  expect(await isRevoked()).toBe(true);
});

test("revoking keeps the scroll position, and what became of it is in sight", async ({ page, account }) => {
  for (let i = 0; i < 20; i++) await newNamedToken(account.id, `token ${i}`);
  await page.setViewportSize({ width: 1280, height: 600 });
  await page.goto(TOKEN_PAGE, { waitUntil: "networkidle" });
  const last = page.getByRole("link", { name: /Revoke token 0,/ });
  await last.scrollIntoViewIfNeeded();
  const before = await page.evaluate(() => window.scrollY);
  expect(before).toBeGreaterThan(300);
  await last.click();
  await answerQuestion(page, "Revoke token");
  const status = page.getByRole("status").filter({ hasText: "was revoked" });
  await expect(status).toBeFocused();
  await expect(status).toBeInViewport();
  expect(Math.abs((await page.evaluate(() => window.scrollY)) - before)).toBeLessThan(150);
});

test("the keyboard alone creates, copies and revokes a token without losing the focus", async ({ page, account }) => {
  await page.goto(TOKEN_PAGE);
  const name = page.getByLabel("Name");
  await tabTo(page, name, 30);
  await page.keyboard.type("by keyboard");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Copy your new token now" })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Token", { exact: true })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Copy token" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Copied token" })).toBeFocused();
  const done = page.getByRole("link", { name: "Done" });
  await tabTo(page, done, 12);
  await page.keyboard.press("Enter");
  await expect(name).toBeFocused();

  const revoke = page.getByRole("link", { name: /Revoke by keyboard/ });
  await tabTo(page, revoke, 20);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog").getByRole("link", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(revoke).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog").getByRole("link", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status").filter({ hasText: "was revoked" })).toBeFocused();
  expect((await db.accessToken.findFirstOrThrow({ where: { accountId: account.id } })).revokedAt).not.toBeNull();
});

/** Presses Tab until this has the focus, at most so often. */
async function tabTo(page: Page, target: Locator, most: number): Promise<void> {
  const isThere = () => target.evaluate((element) => element === document.activeElement);
  for (let presses = 0; presses < most && !(await isThere()); presses++) await page.keyboard.press("Tab");
  await expect(target).toBeFocused();
}
