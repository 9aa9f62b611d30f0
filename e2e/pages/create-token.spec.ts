import { newNamedToken } from "@/e2e/support/factories";
import { call, getData } from "@/e2e/support/fixtures";
import { createOnPage, expect, finishOnPage, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";

test("the token that the page shows works in the API at once, and its row appears in the list", async ({
  page,
  account,
}) => {
  await page.goto(TOKEN_PAGE);
  await expect(page.getByText(/A token is a password for one program/)).toBeVisible();
  const raw = await createOnPage(page, "  nightly report  ");
  expect(await getData("/api/v1/me", raw)).toMatchObject({ id: account.id });
  await expect(page.getByText("It will not be shown again", { exact: false })).toBeVisible();
  await finishOnPage(page);
  const row = page.getByRole("row", { name: /nightly report/ });
  await expect(row).toContainText(`cpat_…${raw.slice(-4)}`);
  await expect(row).toContainText("Never");
  await expect(page.getByLabel("Token", { exact: true })).toHaveCount(0);
  expect(await page.content()).not.toContain(raw);
});

test("two clicks create one token", async ({ page, account }) => {
  await page.goto(TOKEN_PAGE);
  await page.getByLabel("Name").fill("once");
  await page.getByRole("button", { name: "Create token" }).dblclick();
  await expect(page.getByLabel("Token", { exact: true })).toBeVisible();
  expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(1);
});

test("after creating, the page notices the first request by itself and says from where it came", async ({
  page,
  account,
}) => {
  await page.goto(TOKEN_PAGE);
  const raw = await createOnPage(page, "first call");
  await expect(page.getByText("Waiting for the first request").first()).toBeVisible();
  await call("/api/v1/me", raw, { headers: { "X-Forwarded-For": "198.51.100.42" } });
  const status = page.getByRole("status").filter({ hasText: "First request received" });
  await expect(status).toContainText("from 198.51.100.42");
  const { firstUsedIp } = await db.accessToken.findFirstOrThrow({ where: { accountId: account.id } });
  expect(firstUsedIp).toBe("198.51.100.42");
});

test("a complaint about a name goes as soon as the name is changed, and a name too long is counted while it is typed", async ({
  page,
  account,
}) => {
  await page.goto(TOKEN_PAGE);
  const name = page.getByLabel("Name");
  await name.fill(" ");
  await page.getByRole("button", { name: "Create token" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Give the token a name." })).toBeVisible();
  // The red border is seen beside the focus ring, not under it.
  expect(await name.evaluate((field) => Number.parseFloat(getComputedStyle(field).outlineOffset))).toBeGreaterThan(1);
  await name.pressSequentially("a right one");
  await expect(page.getByText("Give the token a name.")).toHaveCount(0);
  await expect(name).not.toHaveAttribute("aria-invalid");
  await name.fill("x".repeat(64));
  await expect(page.getByText("64 of 64 characters")).toBeVisible();
  await name.pressSequentially("yz");
  await expect(page.getByText("That is 2 characters too many: 64 is the most.")).toBeVisible();
  await expect(name).toHaveAttribute("aria-invalid", "true");
  expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(0);
});

test("times on the page move on by themselves", async ({ page, account }) => {
  await newNamedToken(account.id, "aging");
  await page.clock.install();
  await page.goto(TOKEN_PAGE, { waitUntil: "networkidle" });
  const row = page.getByRole("row", { name: /aging/ });
  await expect(row).toContainText(/just now|\d seconds ago/);
  await page.clock.fastForward("03:10");
  await expect(row).toContainText("3 minutes ago");
});
