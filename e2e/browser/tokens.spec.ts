import type { Page } from "playwright/test";
import { startConsole } from "@/e2e/support/console-server";
import { newAccount, newNamedToken } from "@/e2e/support/factories";
import { call, getData } from "@/e2e/support/fixtures";
import { answerQuestion, createOnPage, expect, finishOnPage, signOut, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { startRecordingProxy } from "@/e2e/support/recording-proxy";
import { db } from "@/lib/database/client";
import { DAY, HOUR, SECOND } from "@/lib/format/time";
import { mintToken } from "@/lib/tokens/format";

// A token from its creation to its end, where scripts or the browser itself matter. What the pages say: e2e/site.

const find = (id: number) => db.accessToken.findUniqueOrThrow({ where: { id } });

const replaceOnPage = async (page: Page, overlap: string): Promise<string> => {
  await page.getByLabel("The old token ends").selectOption(overlap);
  await page.getByRole("button", { name: "Replace token" }).click();
  const field = page.getByLabel("Token", { exact: true });
  await expect(field).toHaveValue(/^cpat_[0-9A-Za-z]{36}$/);
  return field.inputValue();
};

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
  await page.waitForLoadState("networkidle");
}

const primary = (page: Page) =>
  page
    .getByRole("region", { name: "Copy your new token now" })
    .locator("a.button:not(.quiet), button.button:not(.quiet)");

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
  expect(await contentOf(page)).not.toContain(raw);
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

test("in the whole flow the raw token is in one response body, and in no URL, header, cookie, storage or log line", async ({
  page,
  context,
  account,
}) => {
  const app = await startConsole(process.env.DATABASE_URL ?? "");
  const proxy = await startRecordingProxy(app.origin);
  try {
    await page.goto(proxy.origin + TOKEN_PAGE);
    const raw = await createOnPage(page, "watched");
    const createdUrl = page.url();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy token" }).click();
    await expect(page.getByRole("button", { name: "Copied token" })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(raw);
    await call("/api/v1/me", raw, { origin: app.origin });
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
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]),
    );
    expect(stored).not.toContain(raw);
    expect(app.output()).toContain('"event":"token created"');
    expect(app.output()).not.toContain(raw.slice(5, 25));
    const rows = await db.accessToken.findMany({ where: { accountId: account.id }, omit: { tokenHash: false } });
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(raw.slice(5, 25));
  } finally {
    await proxy.stop();
    await app.stop();
  }
});

test("going back to the answer after Done, or to it from elsewhere, does not show the token again", async ({
  page,
  account,
}) => {
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

test("a token is renamed in place: the name is another, everything else stays; an unusable name is refused", async ({
  page,
  account,
}) => {
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

test("replaced until first use: both rows say so, and the old token ends with the first request of the new one", async ({
  page,
  account,
}) => {
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

test("several are revoked with one question that lists them, and the others stay", async ({ page, account }) => {
  for (const name of ["one", "two", "three"]) await newNamedToken(account.id, name);
  const stranger = await newAccount();
  await page.goto(TOKEN_PAGE);
  // Nothing is selected: nothing offers to revoke all.
  const all = page.getByRole("link", { name: "Revoke all" });
  await expect(all).toBeHidden();
  for (const name of ["one", "three"]) await page.getByRole("checkbox", { name: `Select ${name},` }).check();
  await expect(all).toBeVisible();
  await page.getByRole("button", { name: "Revoke selected" }).click();
  const dialog = page.getByRole("dialog", { name: "Revoke 2 tokens?" });
  await expect(dialog.getByRole("listitem")).toHaveCount(2);
  await expect(dialog).toContainText("one");
  await expect(dialog).toContainText("three");
  await answerQuestion(page, "Revoke 2 tokens");
  await expect(page.getByRole("status").filter({ hasText: "2 tokens were revoked" })).toBeVisible();
  await expect(page.getByText("2 selected")).toHaveCount(0);
  const left = await db.accessToken.findMany({ where: { accountId: account.id, revokedAt: null } });
  expect(left.map(({ name }) => name)).toEqual(["two"]);
  expect((await call("/api/v1/me", stranger.token)).status).toBe(200);
});

test("which token is this: a whole one and its last four characters are found, others are not, and nothing pasted stays", async ({
  page,
  account,
}) => {
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

test("what was typed into the filter stays when a title of a column is clicked, and goes on filtering", async ({
  page,
  account,
}) => {
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

test("typing filters the rows at once; what is selected, all of it too, is what can be seen", async ({
  page,
  account,
}) => {
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
  // The first key may come before the page listens.
  await expect(async () => {
    await page.keyboard.press("Escape");
    await expect(page).toHaveURL(TOKEN_PAGE, { timeout: SECOND });
  }).toPass();
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

test("with the keyboard alone: sign in, create, copy, finish, revoke, and the focus is always where one goes on", async ({
  page,
  account,
}) => {
  await page.goto(TOKEN_PAGE);
  const name = page.getByLabel("Name");
  for (
    let presses = 0;
    presses < 30 && !(await name.evaluate((field) => field === document.activeElement));
    presses++
  ) {
    await page.keyboard.press("Tab");
  }
  await expect(name).toBeFocused();
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
  for (let presses = 0; presses < 12 && !(await done.evaluate((link) => link === document.activeElement)); presses++) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await expect(name).toBeFocused();

  const revoke = page.getByRole("link", { name: /Revoke by keyboard/ });
  for (
    let presses = 0;
    presses < 20 && !(await revoke.evaluate((link) => link === document.activeElement));
    presses++
  ) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog").getByRole("link", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(revoke).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog").getByRole("link", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Tab");
  // Waits, because the dialog ignores clicks in its first half second.
  await page.waitForTimeout(600);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status").filter({ hasText: "was revoked" })).toBeFocused();
  expect((await db.accessToken.findFirstOrThrow({ where: { accountId: account.id } })).revokedAt).not.toBeNull();
});

test("what one tab creates another one does not show, and can revoke: the first keeps what it shows until it is loaded anew", async ({
  page,
  context,
  account,
}) => {
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
