import { newNamedToken } from "@/e2e/support/factories";
import { answerQuestion, expect, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";

// The question before a token is revoked is asked in the browser: nothing of it waits for the network.

test("the question opens and closes without a request, by Cancel, Escape and a click beside it, and leaves no trace in the history", async ({
  page,
  context,
  account,
}) => {
  await newNamedToken(account.id, "somewhere");
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
});

test("a question that came with the URL is gone from it once it is cancelled: a reload does not ask again", async ({
  page,
  account,
}) => {
  const { token } = await newNamedToken(account.id, "linked");
  await page.goto(`${TOKEN_PAGE}?revoke=${token.id}`, { waitUntil: "networkidle" });
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(TOKEN_PAGE);
  await page.reload();
  await expect(page.getByRole("row", { name: /linked/ })).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("a double tap where the button appears revokes nothing; a tap after half a second does", async ({
  page,
  account,
}) => {
  await page.setViewportSize({ width: 375, height: 667 });
  const { token } = await newNamedToken(account.id, "slippery");
  const isRevoked = async () =>
    (await db.accessToken.findUniqueOrThrow({ where: { id: token.id } })).revokedAt !== null;
  await page.goto(TOKEN_PAGE, { waitUntil: "networkidle" });
  await page.getByRole("link", { name: /Revoke slippery/ }).click();
  const button = page.getByRole("dialog").getByRole("button", { name: "Revoke token" });
  const box = await button.boundingBox();
  if (!box) throw new Error("The button is nowhere.");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
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

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false, viewport: { width: 375, height: 667 } });

  test("a double tap where the button appears revokes nothing, and a tap after half a second does", async ({
    page,
    account,
  }) => {
    const { token } = await newNamedToken(account.id, "slippery");
    const isRevoked = async () =>
      (await db.accessToken.findUniqueOrThrow({ where: { id: token.id } })).revokedAt !== null;
    await page.goto(TOKEN_PAGE);
    await page.getByRole("link", { name: /Revoke slippery/ }).click();
    const button = page.getByRole("dialog").getByRole("button", { name: "Revoke token" });
    const box = await button.boundingBox();
    if (!box) throw new Error("The button is nowhere.");
    // Extends the dialog's first half second for as long as the test needs.
    const delay = await button.evaluate((element) => {
      element.style.animation = "none";
      element.getBoundingClientRect();
      element.style.animation = "";
      const [animation] = element.getAnimations();
      animation?.pause();
      return animation?.effect?.getComputedTiming().duration;
    });
    expect(delay).toBe(500);
    await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
    expect(await isRevoked()).toBe(false);
    await expect(button).toBeVisible();
    await button.evaluate((element) => element.getAnimations()[0]?.finish());
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await expect(page.getByRole("status").filter({ hasText: "was revoked" })).toBeVisible();
    expect(await isRevoked()).toBe(true);
  });
});

test("at 400 % zoom the name of the token and both answers are in sight", async ({ page, account }) => {
  await page.setViewportSize({ width: 320, height: 256 });
  await newNamedToken(account.id, "Backup of the night");
  await page.goto(TOKEN_PAGE, { waitUntil: "networkidle" });
  await page.getByRole("link", { name: /Revoke Backup/ }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("heading", { name: "Backup of the night" })).toBeInViewport({ ratio: 1 });
  await expect(dialog.getByRole("link", { name: "Cancel" })).toBeInViewport({ ratio: 1 });
  await expect(dialog.getByRole("button", { name: "Revoke token" })).toBeInViewport({ ratio: 1 });
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
