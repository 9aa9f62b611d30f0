import type { Page } from "playwright/test";
import { createOnPage, expect, signOut, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { dateText } from "@/lib/format/relative-time";
import { DAY } from "@/lib/format/time";

// The panel of a new token. It shows the token only once.

const primary = (page: Page) =>
  page
    .getByRole("region", { name: "Copy your new token now" })
    .locator("a.button:not(.quiet), button.button:not(.quiet)");

test("copying is the primary action; Done is quiet until the token was copied", async ({ page, account }) => {
  await page.goto(TOKEN_PAGE);
  await createOnPage(page, account.name);
  await expect(primary(page)).toHaveText([/^Copy/]);
  await page.getByRole("button", { name: "Copy token" }).click();
  await expect(page.getByRole("button", { name: "Copied token" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Done" })).not.toHaveClass(/quiet/);
});

test("leaving an uncopied token behind is asked about, by Done, by link, by form and by reloading; a copied one is not", async ({
  page,
  account,
}) => {
  await page.goto("/dashboard");
  await page.goto(TOKEN_PAGE);
  const raw = await createOnPage(page, account.name);
  const questions: string[] = [];
  page.on("dialog", async (dialog) => {
    questions.push(dialog.type());
    await dialog.dismiss();
  });
  await page.getByRole("link", { name: "Done" }).click();
  await page.getByRole("link", { name: "Servers" }).click();
  await signOut(page);
  await page.evaluate(() => window.location.reload());
  await expect.poll(() => questions).toEqual(["confirm", "confirm", "confirm", "beforeunload"]);
  await expect(page.getByLabel("Token", { exact: true })).toHaveValue(raw);

  // By hand counts.
  await page.getByLabel("Token", { exact: true }).focus();
  await page.keyboard.press("Control+c");
  await page.getByRole("link", { name: "Done" }).click();
  await expect(page.getByRole("button", { name: "Create token" })).toBeVisible();
  expect(questions).toHaveLength(4);
});

test("the expiry is stated: the day, or that there is none", async ({ page, account }) => {
  await page.goto(TOKEN_PAGE);
  await createOnPage(page, account.name);
  await expect(page.getByText("It does not expire.")).toBeVisible();
  await page.goto(TOKEN_PAGE);
  await page.getByLabel("Expires").selectOption("7");
  await createOnPage(page, account.name);
  const day = dateText(new Date(Date.now() + 7 * DAY), "UTC");
  await expect(page.getByText(`It works until ${day} (in 7 days).`)).toBeVisible();
});

for (const width of [320, 375, 1280]) {
  test(`${width} pixels wide, the whole token is in sight, its end included`, async ({ page, account }) => {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(TOKEN_PAGE);
    await createOnPage(page, account.name);
    const hidden = await page
      .getByLabel("Token", { exact: true })
      .evaluate((field) => [field.scrollWidth - field.clientWidth, field.scrollHeight - field.clientHeight]);
    expect(hidden).toEqual([0, 0]);
  });
}

test("where the browser refuses to copy, the text is selected and the page says so, in the code blocks too", async ({
  page,
  account,
}) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException("refused", "NotAllowedError"));
    document.execCommand = () => false;
  });
  await page.goto(TOKEN_PAGE);
  const raw = await createOnPage(page, account.name);
  for (const [button, selected] of [
    ["Copy token", raw],
    ["Copy Try it", `curl -sS ${new URL(page.url()).origin}/api/v1/me -H "Authorization: Bearer ${raw}"`],
  ] as const) {
    await page.getByRole("button", { name: button }).click();
    await expect(page.getByRole("status").filter({ hasText: "did not allow the page to copy" }).last()).toBeVisible();
    expect(await page.evaluate(() => window.getSelection()?.toString())).toBe(selected);
  }
});
