import { newNamedToken, newToken } from "@/e2e/support/factories";
import { call, getData } from "@/e2e/support/fixtures";
import { mcpThrough } from "@/e2e/support/mcp-client";
import {
  createOnPage,
  expect,
  finishOnPage,
  signInDirectly,
  TOKEN_PAGE,
  test,
  withAndWithoutJavaScript,
} from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { DAY } from "@/lib/format/time";
import { mintToken } from "@/lib/tokens/format";
import { createToken, MAX_ACTIVE_TOKENS } from "@/lib/tokens/management";

withAndWithoutJavaScript(() => {
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

  test("an unusable name is refused with the reason, and what was typed stays", async ({ page, account }) => {
    await page.goto(TOKEN_PAGE);
    for (const [typed, message, kept] of [
      ["   ", "Give the token a name.", "   "],
      ["a\u202Eb", "A name cannot hold line breaks, control characters or text-direction characters.", "a\u202Eb"],
      [mintToken(), "That looks like a token. Give the token a name that says where it will be used.", ""],
    ] as const) {
      await page.getByLabel("Name").fill(typed);
      await page.getByLabel("Expires").selectOption("90");
      await page.getByRole("button", { name: "Create token" }).click();
      await expect(page.getByRole("alert").filter({ hasText: message })).toBeVisible();
      await expect(page.getByLabel("Name")).toHaveValue(kept);
      await expect(page.getByLabel("Expires")).toHaveValue("90");
      await expect(page.getByLabel("Name")).toBeFocused();
    }
    expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(0);
  });

  test("each expiry that is offered is stored as it was chosen", { tag: "@with-javascript-alone" }, async ({
    page,
    account,
  }) => {
    for (const [choice, days] of [
      ["none", null],
      ["7", 7],
      ["30", 30],
      ["90", 90],
      ["365", 365],
    ] as const) {
      await page.goto(TOKEN_PAGE);
      await page.getByLabel("Expires").selectOption(choice);
      await createOnPage(page, `ends ${choice}`);
      const where = { accountId: account.id, name: `ends ${choice}` };
      const { expiresAt } = await db.accessToken.findFirstOrThrow({ where });
      if (days === null) expect(expiresAt).toBeNull();
      else expect(Math.abs((expiresAt?.getTime() ?? 0) - Date.now() - days * DAY)).toBeLessThan(DAY / 24);
      await finishOnPage(page);
    }
  });

  test("a date of one's own is the end of that day in UTC; a day that is over is refused", async ({
    page,
    account,
  }) => {
    await page.goto(TOKEN_PAGE);
    await page.getByLabel("Expires").selectOption("date");
    const nextYear = new Date().getUTCFullYear() + 1;
    await page.getByLabel("Last day").fill(`${nextYear}-03-04`);
    await createOnPage(page, "until March");
    const { expiresAt } = await db.accessToken.findFirstOrThrow({ where: { accountId: account.id } });
    expect(expiresAt?.toISOString()).toBe(`${nextYear}-03-04T23:59:59.000Z`);

    await page.goto(TOKEN_PAGE);
    await page.getByLabel("Name").fill("too late");
    await page.getByLabel("Expires").selectOption("date");
    // Past the browser's own check, as a script would send it.
    await page.getByLabel("Last day").evaluate((field) => field.removeAttribute("min"));
    await page.getByLabel("Last day").fill("2020-01-01");
    await page.getByRole("button", { name: "Create token" }).click();
    await expect(page.getByText("That day is over.", { exact: false })).toBeVisible();
    expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(1);
  });
});

test("two clicks create one token, and so does sending the same form again", async ({ page, account, context }) => {
  await page.goto(TOKEN_PAGE);
  await page.getByLabel("Name").fill("once");
  await page.getByRole("button", { name: "Create token" }).dblclick();
  await expect(page.getByLabel("Token", { exact: true })).toBeVisible();
  expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(1);

  const plain = await context.browser()?.newContext({ javaScriptEnabled: false, baseURL: new URL(page.url()).origin });
  if (!plain) throw new Error("There is no browser.");
  await signInDirectly(plain, account.id);
  const other = await plain.newPage();
  await other.goto(TOKEN_PAGE);
  const raw = await createOnPage(other, "reloaded");
  await other.reload();
  await expect(other.getByText("This token was already created")).toBeVisible();
  expect(await other.content()).not.toContain(raw);
  expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(2);
  await plain.close();
});

test("the 51st active token is refused with the reason; a revoked one makes room", async ({ page, account }) => {
  for (let i = 0; i < MAX_ACTIVE_TOKENS; i++) await newToken(account.id);
  await page.goto(TOKEN_PAGE);
  await page.getByLabel("Name").fill("one too many");
  await page.getByRole("button", { name: "Create token" }).click();
  await expect(page.getByText("An account can have 50 active tokens.", { exact: false })).toBeVisible();
  const first = await db.accessToken.findFirstOrThrow({ where: { accountId: account.id } });
  await db.accessToken.update({ where: { id: first.id }, data: { revokedAt: new Date() } });
  await page.reload();
  await createOnPage(page, "fits again");
});

test("twenty creations at once with one place left create one token", async ({ account }) => {
  for (let i = 0; i < MAX_ACTIVE_TOKENS - 1; i++) await newToken(account.id);
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => newToken(account.id)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(MAX_ACTIVE_TOKENS);
});

test("an eleventh creation within ten minutes is refused and told how long to wait", async ({ page, account }) => {
  for (let i = 0; i < 10; i++) {
    const input = { name: `token ${i}`, expiresAt: null, formNonce: `a-form-of-its-own-number-${i}` };
    expect((await createToken(account.id, input)).kind).toBe("created");
  }
  await page.goto(TOKEN_PAGE);
  await page.getByLabel("Name").fill("eleven");
  await page.getByRole("button", { name: "Create token" }).click();
  await expect(
    page.getByText(/You can create at most 10 tokens in 10 minutes\. Try again in (?:9|10) minutes\./),
  ).toBeVisible();
  expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(10);
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

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("the first request is seen after a reload of the list", async ({ page, account }) => {
    await page.goto(TOKEN_PAGE);
    const raw = await createOnPage(page, "first call");
    await page.goto(TOKEN_PAGE);
    const row = page.getByRole("row", { name: /first call/ });
    await expect(row).toContainText("Never used");
    await call("/api/v1/me", raw, { headers: { "X-Forwarded-For": "198.51.100.43" } });
    await expect
      .poll(async () => (await db.accessToken.findFirst({ where: { accountId: account.id } }))?.firstUsedAt ?? null)
      .not.toBeNull();
    await page.reload();
    await expect(row).toContainText("First request received");
    await expect(row).toContainText("198.51.100.43");
  });
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

test("what the page shows for Claude Code, Cursor and VS Code asks /mcp of this console, with a token in the place of its variable", async ({
  page,
  account,
}) => {
  const token = await newToken(account.id);
  await page.goto(TOKEN_PAGE);
  const section = page.getByRole("region", { name: "Use it with Claude Code, Cursor, VS Code" });
  const [command = "", cursor = "", code = ""] = await section.locator("figure code").allTextContents();
  const [, url = "", Authorization = ""] =
    /^claude mcp add --transport http console (\S+) --header "Authorization: (.+)"$/.exec(command) ?? [];
  const settings = [
    { url, headers: { Authorization } },
    JSON.parse(cursor).mcpServers.console,
    JSON.parse(code).servers.console,
  ];
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  for (const { url, headers } of settings) {
    expect(url).toBe(`${new URL(page.url()).origin}/mcp`);
    const bearer = headers.Authorization.replace(/\$TOKEN|\$\{(?:env:CONSOLE_TOKEN|input:console-token)\}/, token);
    const { status } = await mcpThrough((_, init) => fetch(url, init)).postMcp(null, list, { Authorization: bearer });
    expect(status, headers.Authorization).toBe(200);
  }
});
