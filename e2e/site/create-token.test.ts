import { expect, test } from "vitest";
import { newToken } from "@/e2e/support/factories";
import { mcpThrough } from "@/e2e/support/mcp-client";
import { call, getData, origin } from "@/e2e/support/over-http";
import { createToken, newVisitor, visitorWithToken } from "@/e2e/support/site";
import { db } from "@/lib/database/client";
import { dateText } from "@/lib/format/relative-time";
import { DAY, HOUR } from "@/lib/format/time";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { mintToken } from "@/lib/tokens/format";
import { createToken as createDirectly, MAX_ACTIVE_TOKENS } from "@/lib/tokens/management";

test("the shown token works in the API at once and appears in the list", async () => {
  const { account, page } = await newVisitor();
  await page.goto(TOKEN_PAGE);
  expect(page.text).toContain("A token is a password for one program");
  const raw = await createToken(page, "  nightly report  ");
  expect(await getData("/api/v1/me", raw)).toMatchObject({ id: account.id });
  expect(page.text).toContain("It will not be shown again");
  expect(JSON.stringify([page.url, ...page.headers, ...page.cookies, ...page.setCookies])).not.toContain(raw);
  await page.follow("Done");
  const row = page.textOf(page.rows("nightly report"));
  expect(row).toContain(`cpat_…${raw.slice(-4)}`);
  expect(row).toContain("Never");
  expect(page.hasField("Token")).toBe(false);
  expect(page.html).not.toContain(raw);
  await page.reload();
  expect(page.html).not.toContain(raw);
});

test("an unusable name is refused with the reason, and what was typed stays", async () => {
  const { account, page } = await newVisitor();
  await page.goto(TOKEN_PAGE);
  for (const [typed, message, kept] of [
    ["   ", "Give the token a name.", "   "],
    ["a\u202Eb", "A name cannot hold line breaks, control characters or text-direction characters.", "a\u202Eb"],
    [mintToken(), "That looks like a token. Give the token a name that says where it will be used.", ""],
  ] as const) {
    await page.press("Create token", { Name: typed, Expires: "90" });
    expect(page.alerts.join()).toContain(message);
    expect(page.value("Name")).toBe(kept);
    expect(page.value("Expires")).toBe("90");
    // Without scripts, too, the field is the first thing to type into.
    expect(page.field("Name").attr("autofocus")).toBeDefined();
  }
  expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(0);
});

test("each expiry that is offered is stored as it was chosen", async () => {
  const { account, page } = await newVisitor();
  const created = async (name: string, choices: Record<string, string>) => {
    await page.goto(TOKEN_PAGE);
    await createToken(page, name, choices);
    return (await db.accessToken.findFirstOrThrow({ where: { accountId: account.id, name } })).expiresAt;
  };
  for (const [choice, days, inDays] of [
    ["none", null, ""],
    ["7", 7, "in 7 days"],
    ["30", 30, "in 30 days"],
    ["90", 90, "in 3 months"],
    ["365", 365, "in 1 year"],
  ] as const) {
    const expiresAt = await created(`ends ${choice}`, { Expires: choice });
    if (days === null) {
      expect(expiresAt).toBeNull();
      expect(page.text).toContain("It does not expire.");
    } else {
      const end = new Date(Date.now() + days * DAY);
      expect(Math.abs(Number(expiresAt) - end.getTime())).toBeLessThan(HOUR);
      expect(page.text).toContain(`It works until ${dateText(end, "UTC")} (${inDays}).`);
    }
  }
  // A chosen date is that day's end in UTC.
  const day = `${new Date().getUTCFullYear() + 1}-03-04`;
  expect((await created("until March", { Expires: "date", "Last day": day }))?.toISOString()).toBe(
    `${day}T23:59:59.000Z`,
  );
  await page.goto(TOKEN_PAGE);
  await page.press("Create token", { Name: "too late", Expires: "date", "Last day": "2020-01-01" });
  expect(page.text).toContain("That day is over.");
  expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(6);
});

test("sending the same form again creates nothing, and does not show the token again", async () => {
  const { account, page } = await newVisitor();
  await page.goto(TOKEN_PAGE);
  const fields = page.fill({ Name: "reloaded" }).fieldsOf("Create token");
  await page.send(fields);
  const raw = page.value("Token");
  expect(raw).toMatch(/^cpat_/);
  await page.send(fields);
  expect(page.text).toContain("This token was already created");
  expect(page.html).not.toContain(raw);
  expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(1);
});

test("the 51st active token is refused with the reason; a revoked one makes room", async () => {
  const { account, page } = await newVisitor();
  for (let i = 0; i < MAX_ACTIVE_TOKENS; i++) await newToken(account.id);
  await page.goto(TOKEN_PAGE);
  await page.press("Create token", { Name: "one too many" });
  expect(page.text).toContain("An account can have 50 active tokens.");
  const first = await db.accessToken.findFirstOrThrow({ where: { accountId: account.id } });
  await db.accessToken.update({ where: { id: first.id }, data: { revokedAt: new Date() } });
  await page.goto(TOKEN_PAGE);
  await createToken(page, "fits again");
});

test("twenty creations at once with one place left create one token", async () => {
  const { account } = await newVisitor();
  for (let i = 0; i < MAX_ACTIVE_TOKENS - 1; i++) await newToken(account.id);
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => newToken(account.id)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(MAX_ACTIVE_TOKENS);
});

test("an eleventh creation within ten minutes is refused and told how long to wait", async () => {
  const { account, page } = await newVisitor();
  for (let i = 0; i < 10; i++) {
    const input = { name: `token ${i}`, expiresAt: null, formNonce: `a-form-of-its-own-number-${i}` };
    expect((await createDirectly(account.id, input)).kind).toBe("created");
  }
  await page.goto(TOKEN_PAGE);
  await page.press("Create token", { Name: "eleven" });
  expect(page.text).toMatch(/You can create at most 10 tokens in 10 minutes\. Try again in (?:9|10) minutes\./);
  expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(10);
});

test("the first request is seen after a reload of the list", async () => {
  const { account, page } = await newVisitor();
  await page.goto(TOKEN_PAGE);
  const raw = await createToken(page, "first call");
  await page.goto(TOKEN_PAGE);
  expect(page.textOf(page.rows("first call"))).toContain("Never used");
  await call("/api/v1/me", raw, { headers: { "X-Forwarded-For": "198.51.100.43" } });
  await expect
    .poll(async () => (await db.accessToken.findFirst({ where: { accountId: account.id } }))?.firstUsedAt ?? null)
    .not.toBeNull();
  await page.reload();
  const row = page.textOf(page.rows("first call"));
  expect(row).toContain("First request received");
  expect(row).toContain("198.51.100.43");
});

test("the page's settings for Claude Code, Cursor and VS Code reach this console's /mcp", async () => {
  const { page, raw } = await visitorWithToken("agent");
  await page.goto(TOKEN_PAGE);
  const section = page.part("Use it with Claude Code, Cursor, VS Code");
  const [command = "", cursor = "", code = ""] = page.textsOf(section.find("figure code"));
  const [, url = "", Authorization = ""] =
    /^claude mcp add --transport http console (\S+) --header "Authorization: (.+)"$/.exec(command) ?? [];
  const settings = [
    { url, headers: { Authorization } },
    JSON.parse(cursor).mcpServers.console,
    JSON.parse(code).servers.console,
  ];
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  for (const { url, headers } of settings) {
    expect(url).toBe(`${origin}/mcp`);
    const bearer = headers.Authorization.replace(/\$TOKEN|\$\{(?:env:CONSOLE_TOKEN|input:console-token)\}/, raw);
    const { status } = await mcpThrough((_, init) => fetch(url, init)).postMcp(null, list, { Authorization: bearer });
    expect(status, headers.Authorization).toBe(200);
  }
});
