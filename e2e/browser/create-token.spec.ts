import { readFileSync } from "node:fs";
import type { Page } from "playwright/test";
import { call, getData, own, sharedOrigin } from "@/e2e/support/fixtures";
import { answerQuestion, createOnPage, expect, finishOnPage, signOut, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { startRecordingProxy } from "@/e2e/support/recording-proxy";
import { db } from "@/lib/database/client";

// A new token, where scripts or the browser itself matter. What the pages say: e2e/site.

/** What is in a page, once it is there: a page on its way has no content. */
async function contentOf(page: Page): Promise<string> {
  let content = "";
  await expect(async () => {
    content = await page.content();
  }).toPass();
  return content;
}

async function goBack(page: Page): Promise<void> {
  // Without JavaScript there is nothing to go back to: the answer to a form is not kept.
  await page.goBack({ waitUntil: "load" }).catch(() => {});
  // A page that comes from the browser's memory asks for nothing: wait until its scripts have nothing left to do.
  await expect(() => page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => resolve(null))))).toPass();
}

const primary = (page: Page) =>
  page
    .getByRole("region", { name: "Copy your new token now" })
    .locator("a.button:not(.quiet), button.button:not(.quiet)");

test("editing a name clears its error, and a name too long is counted live", async ({ page, account }) => {
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

test("in the whole flow the raw token appears in one response body only", async ({ page, context, account }) => {
  const proxy = await own(startRecordingProxy(sharedOrigin()));
  await page.goto(proxy.origin + TOKEN_PAGE);
  const raw = await createOnPage(page, "watched");
  const createdUrl = page.url();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy token" }).click();
  await expect(page.getByRole("button", { name: "Copied token" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(raw);
  expect(await getData("/api/v1/me", raw)).toMatchObject({ id: account.id });
  await finishOnPage(page);
  await expect(page.getByRole("button", { name: "Create token" })).toBeVisible();
  expect(await contentOf(page)).not.toContain(raw);
  await page.reload();
  expect(await contentOf(page)).not.toContain(raw);
  await page.goto(`${proxy.origin}/`);
  await goBack(page);
  expect(await contentOf(page)).not.toContain(raw);
  const tab = await context.newPage();
  await tab.goto(proxy.origin + TOKEN_PAGE);
  expect(await contentOf(tab)).not.toContain(raw);

  expect(proxy.bodies().filter((body) => body.includes(raw))).toHaveLength(1);
  expect(proxy.rest().filter((text) => text.includes(raw))).toEqual([]);
  expect(createdUrl).not.toContain(raw);
  expect(JSON.stringify(await context.storageState())).not.toContain(raw);
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]));
  expect(stored).not.toContain(raw);
  const readLog = () => readFileSync(String(process.env.E2E_LOG), "utf8");
  await expect.poll(readLog).toMatch(new RegExp(`"event":"token created".*"account":${account.id}\\b`));
  expect(readLog()).not.toContain(raw.slice(5, 25));
  const rows = await db.accessToken.findMany({ where: { accountId: account.id }, omit: { tokenHash: false } });
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(raw.slice(5, 25));
});

test("going back to the answer does not show the token again", async ({ page, account }) => {
  await page.goto(TOKEN_PAGE);
  const raw = await createOnPage(page, "gone");
  await page.goto("/");
  await goBack(page);
  expect(await contentOf(page), "from elsewhere").not.toContain(raw);
  await page.goto(TOKEN_PAGE);
  const second = await createOnPage(page, "gone as well");
  await finishOnPage(page);
  await expect(page.getByRole("button", { name: "Create token" })).toBeVisible();
  await goBack(page);
  expect(await contentOf(page), "after Done").not.toContain(second);
  expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(2);
});

test("two clicks create one token, which asks to be copied before it is left", async ({ page, account }) => {
  await page.goto("/dashboard");
  await page.goto(TOKEN_PAGE);
  await page.getByLabel("Name").fill("once");
  await page.getByRole("button", { name: "Create token" }).dblclick();
  const field = page.getByLabel("Token", { exact: true });
  await expect(field).toHaveValue(/^cpat_[0-9A-Za-z]{36}$/);
  const raw = await field.inputValue();
  expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(1);
  await expect(primary(page)).toHaveText([/^Copy/]);
  const done = page.getByRole("link", { name: "Done" });
  await expect(done).toHaveClass(/quiet/);
  const questions: string[] = [];
  page.on("dialog", async (dialog) => {
    questions.push(dialog.type());
    await dialog.dismiss();
  });
  await done.click();
  await page.getByRole("link", { name: "Servers" }).click();
  await signOut(page);
  await page.evaluate(() => window.location.reload());
  await expect.poll(() => questions).toEqual(["confirm", "confirm", "confirm", "beforeunload"]);
  await expect(field).toHaveValue(raw);

  // By hand counts as well.
  for (const copy of [
    async () => {
      await field.focus();
      await page.keyboard.press("Control+c");
    },
    async () => {
      await createOnPage(page, "by the button");
      await page.getByRole("button", { name: "Copy token" }).click();
      await expect(page.getByRole("button", { name: "Copied token" })).toBeVisible();
    },
  ]) {
    await copy();
    await expect(done).not.toHaveClass(/quiet/);
    await done.click();
    await expect(page.getByRole("button", { name: "Create token" })).toBeVisible();
  }
  expect(questions).toHaveLength(4);
});

test("where copying is refused, the page selects the text and says so", async ({ page, account }) => {
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

test("a token shown in one tab stays hidden in another, which can revoke it", async ({ page, context, account }) => {
  await page.goto(TOKEN_PAGE);
  const raw = await createOnPage(page, "two tabs");
  const other = await context.newPage();
  await other.goto(TOKEN_PAGE);
  expect(await other.content()).not.toContain(raw);
  await other.getByRole("link", { name: /Revoke two tabs/ }).click();
  await answerQuestion(other, "Revoke token");
  await expect(other.getByRole("status").filter({ hasText: "was revoked" })).toBeVisible();
  await expect(page.getByLabel("Token", { exact: true })).toHaveValue(raw);
  expect((await call("/api/v1/me", raw)).status).toBe(401);
  page.once("dialog", (dialog) => void dialog.accept());
  await page.goto(TOKEN_PAGE);
  await expect(page.getByRole("button", { name: "Create token" })).toBeVisible();
  await expect(page.getByRole("link", { name: /Revoke two tabs/ })).toHaveCount(0);
  expect(await contentOf(page)).not.toContain(raw);
  expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(1);
});

test("what was sent before the scripts ran is still shown once they run", async ({ page, account }) => {
  const withoutScripts = async (run: () => Promise<unknown>) => {
    await page.route("**/*.js", (route) => route.abort());
    await run();
    await page.unroute("**/*.js");
  };
  await withoutScripts(() => page.goto(TOKEN_PAGE));
  await page.getByLabel("Name").fill("early");
  await page.getByLabel("Expires").selectOption({ index: 1 });
  await page.getByRole("button", { name: "Create token" }).click();
  // Scripts alone can copy.
  await expect(page.getByRole("button", { name: "Copy token" })).toBeVisible();
  await expect(page.getByLabel("Token", { exact: true })).toHaveValue(/^cpat_[0-9A-Za-z]{36}$/);
  await expect(page.getByText(/It works until/)).toBeVisible();

  const { id } = await db.accessToken.findFirstOrThrow({ where: { accountId: account.id }, select: { id: true } });
  await withoutScripts(() => page.goto(`${TOKEN_PAGE}?revoke=${id}`));
  await page.getByRole("button", { name: "Revoke token" }).click({ noWaitAfter: true });
  await page.waitForLoadState("networkidle");
  await expect(page.getByText(/was revoked just now/)).toBeVisible();
});
