import type { Page } from "playwright/test";
import { newAccount, newNamedToken } from "@/e2e/support/factories";
import { call } from "@/e2e/support/fixtures";
import { expect, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { DAY, HOUR, SECOND } from "@/lib/format/time";
import { mintToken } from "@/lib/tokens/format";

// Tokens that there are: found, filtered, renamed and replaced with scripts. What the pages say: e2e/site.

const find = (id: number) => db.accessToken.findUniqueOrThrow({ where: { id } });

const replaceOnPage = async (page: Page, overlap: string): Promise<string> => {
  await page.getByLabel("The old token ends").selectOption(overlap);
  await page.getByRole("button", { name: "Replace token" }).click();
  const field = page.getByLabel("Token", { exact: true });
  await expect(field).toHaveValue(/^cpat_[0-9A-Za-z]{36}$/);
  return field.inputValue();
};

test("renaming a token changes only its name, and an unusable name is refused", async ({ page, account }) => {
  const { raw, token } = await newNamedToken(account.id, "before");
  await page.goto(TOKEN_PAGE);
  await page.getByRole("link", { name: "before", exact: true }).click();
  await page.getByLabel("Name", { exact: true }).fill(mintToken());
  await page.getByRole("button", { name: "Rename" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "That looks like a token." })).toBeVisible();
  expect(await find(token.id)).toMatchObject({ name: "before" });
  await page.getByLabel("Name", { exact: true }).fill("after");
  await page.getByRole("button", { name: "Rename" }).click();
  await expect(page.getByRole("status").filter({ hasText: "It is called after now." })).toBeVisible();
  await expect(page.getByRole("heading", { name: "after", level: 1 })).toBeVisible();
  expect((await call("/api/v1/me", raw)).status).toBe(200);
  expect(await find(token.id)).toMatchObject({ name: "after", hint: token.hint, expiresAt: null, revokedAt: null });
});

test("replaced until first use, the old token ends with the new one's first request", async ({ page, account }) => {
  const { raw: oldRaw, token: old } = await newNamedToken(account.id, "rotated", new Date(Date.now() + 30 * DAY));
  await page.goto(`${TOKEN_PAGE}/${old.id}`);
  const newRaw = await replaceOnPage(page, "first-use");
  // "Try it" would send that first request before any program has the new token.
  await expect(page.getByText("The old token ends with the first request that uses this one.")).toBeVisible();
  await expect(page.getByText("Try it")).toHaveCount(0);
  await expect(page.getByText(/curl /)).toHaveCount(0);
  expect((await call("/api/v1/me", oldRaw)).status).toBe(200);
  await page.goto(TOKEN_PAGE);
  const rows = page.getByRole("row", { name: /rotated/ });
  await expect(rows).toHaveCount(2);
  await expect(rows.filter({ hasText: `cpat_…${oldRaw.slice(-4)}: ends when that one` })).toHaveCount(0);
  await expect(rows.filter({ hasText: `Being replaced by cpat_…${newRaw.slice(-4)}: ends when` })).toHaveCount(1);
  await expect(rows.filter({ hasText: `Replaces cpat_…${oldRaw.slice(-4)}` })).toHaveCount(1);

  expect((await call("/api/v1/me", newRaw)).status).toBe(200);
  await expect.poll(async () => (await find(old.id)).revokedAt).not.toBeNull();
  expect((await call("/api/v1/me", oldRaw)).status).toBe(401);
  const fresh = await db.accessToken.findFirstOrThrow({ where: { accountId: account.id, id: { not: old.id } } });
  expect(fresh.name).toBe("rotated");
  expect(Math.abs(Number(fresh.expiresAt) - Date.now() - 30 * DAY)).toBeLessThan(HOUR);
  await page.reload();
  await expect(page.getByText(/Being replaced|Replaces/)).toHaveCount(0);
});

test("a token replaced at once has ended, and the new one is shown all the same", async ({ page, account }) => {
  const { raw: oldRaw, token: old } = await newNamedToken(account.id, "leaked");
  await page.goto(`${TOKEN_PAGE}/${old.id}`);
  const newRaw = await replaceOnPage(page, "none");
  await expect(page.getByText("The old token has ended.")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Revoke", exact: true })).toHaveCount(0);
  expect((await call("/api/v1/me", newRaw)).status).toBe(200);
  expect((await call("/api/v1/me", oldRaw)).status).toBe(401);
});

test("a token is found by itself or its last four characters; nothing pasted stays", async ({ page, account }) => {
  const { raw } = await newNamedToken(account.id, "in my hand");
  const stranger = await newAccount();
  const section = page.getByRole("region", { name: "Which token is this?" });
  for (const [pasted, says] of [
    [`Authorization: Bearer ${raw}`, /in my hand \(cpat_…\w{4}\) is active.*never used/],
    [raw.slice(-4), /in my hand/],
    [stranger.token, /This is not one of your tokens/],
    [mintToken(), /This is not one of your tokens/],
    [`${raw.slice(0, -1)}!`, /neither a whole token nor its last four characters/],
  ] as const) {
    // Reloads the page, so that the test cannot read the previous answer.
    await page.goto(TOKEN_PAGE);
    await section.getByLabel("Which token is this? Paste it, or its last four characters").fill(pasted);
    await section.getByRole("button", { name: "Find it" }).click();
    await expect(section.getByRole("status")).toContainText(says);
    const content = await page.content();
    for (const secret of [raw.slice(5, 25), stranger.token.slice(5, 25)]) expect(content).not.toContain(secret);
  }
  expect(page.url()).not.toContain("cpat");
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

test("typing filters the rows at once, and the selection holds only visible rows", async ({ page, account }) => {
  for (const name of ["alpha 1", "alpha 2", "beta 1", "beta 2", "gamma", "delta"])
    await newNamedToken(account.id, name);
  await page.goto(TOKEN_PAGE);
  await page.getByLabel("Find").fill("alpha");
  await expect(page.getByText("2 of 6 tokens")).toBeVisible();
  await expect(page.getByRole("row", { name: /beta/ })).toHaveCount(0);
  const revoke = page.getByRole("button", { name: "Revoke selected" });
  await expect(revoke).toBeHidden();
  await page.getByLabel("Select all").check();
  await expect(page.getByText("2 selected")).toBeVisible();
  await revoke.click();
  await expect(page.getByRole("dialog", { name: "Revoke 2 tokens?" })).toContainText("alpha 1");
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
