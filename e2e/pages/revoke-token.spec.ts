import { newAccount, newNamedToken } from "@/e2e/support/factories";
import { call } from "@/e2e/support/fixtures";
import { answerQuestion, expect, TOKEN_PAGE, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { hashToken, mintToken } from "@/lib/tokens/format";
import { MAX_ENDED_SHOWN, revokeTokens } from "@/lib/tokens/management";
import { deleteEndedTokens } from "@/lib/tokens/retention";

withAndWithoutJavaScript((hasJavaScript) => {
  test("revoking asks first, naming the token, its fingerprint and last use; then the next API request is 401", async ({
    page,
    account,
  }) => {
    const { raw, token } = await newNamedToken(account.id, "old laptop");
    const other = await newNamedToken(account.id, "kept");
    await call("/api/v1/me", raw, { headers: { "User-Agent": "curl/8.5.0", "X-Forwarded-For": "198.51.100.9" } });
    await expect
      .poll(async () => (await db.accessToken.findUnique({ where: { id: token.id } }))?.lastUsedAt ?? null)
      .not.toBeNull();
    await page.goto(TOKEN_PAGE);
    await page.getByRole("link", { name: /Revoke old laptop/ }).click();
    const dialog = page.getByRole("dialog", { name: "Revoke “old laptop”?" });
    await expect(dialog).toContainText("old laptop");
    await expect(dialog).toContainText(`cpat_…${raw.slice(-4)}`);
    await expect(dialog).toContainText("from 198.51.100.9 (curl");

    await dialog.getByRole("link", { name: "Cancel" }).click();
    await expect(dialog).toHaveCount(0);
    if (hasJavaScript) await expect(page.getByRole("link", { name: /Revoke old laptop/ })).toBeFocused();
    expect((await call("/api/v1/me", raw)).status).toBe(200);

    await page.getByRole("link", { name: /Revoke old laptop/ }).click();
    await answerQuestion(page, "Revoke token");
    await expect(page.getByRole("status").filter({ hasText: "was revoked" })).toContainText("old laptop");
    expect((await call("/api/v1/me", raw)).status).toBe(401);
    expect((await call("/api/v1/me", other.raw)).status).toBe(200);
    const ended = page.getByRole("table", { name: "Revoked and expired tokens" });
    await expect(ended.getByRole("row", { name: /old laptop/ })).toContainText("Revoked");
  });

  test("revoke all names how many, and every token is refused from its next request on", async ({ page, account }) => {
    const tokens = [
      await newNamedToken(account.id, "one"),
      await newNamedToken(account.id, "two"),
      await newNamedToken(account.id, "three"),
    ];
    const stranger = await newAccount();
    await page.goto(TOKEN_PAGE);
    const all = page.getByRole("link", { name: "Revoke all" });
    if (hasJavaScript) {
      // Nothing is selected: nothing offers to revoke all.
      await expect(all).toBeHidden();
      await page.getByRole("checkbox", { name: /^Select two/ }).check();
    }
    await all.click();
    await expect(page.getByRole("dialog", { name: "Revoke all 3 active tokens?" })).toBeVisible();
    await answerQuestion(page, "Revoke all");
    await expect(page.getByRole("status").filter({ hasText: "3 tokens were revoked" })).toBeVisible();
    for (const { raw } of tokens) expect((await call("/api/v1/me", raw)).status).toBe(401);
    expect((await call("/api/v1/me", stranger.token)).status).toBe(200);
  });

  test("revoking twice changes nothing and says so", async ({ page, account }) => {
    const { token } = await newNamedToken(account.id, "twice");
    await page.goto(`${TOKEN_PAGE}?revoke=${token.id}`);
    await revokeTokens(account.id, [token.id]);
    const before = await db.accessToken.findUniqueOrThrow({ where: { id: token.id } });
    await answerQuestion(page, "Revoke token");
    await expect(page.getByRole("status").filter({ hasText: "Nothing was changed" })).toContainText(
      "was already revoked",
    );
    expect(await db.accessToken.findUniqueOrThrow({ where: { id: token.id } })).toEqual(before);
  });

  test("another account's token can be neither seen nor revoked", async ({ page, account }) => {
    const stranger = await newAccount();
    const { raw, token } = await newNamedToken(stranger.id, "not yours");
    await newNamedToken(account.id, "mine");
    await page.goto(`${TOKEN_PAGE}?revoke=${token.id}`);
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(page.getByText("Nothing was changed: you have no such token.")).toBeVisible();
    expect(await page.content()).not.toContain("not yours");

    const mine = await db.accessToken.findFirstOrThrow({ where: { accountId: account.id } });
    await page.goto(`${TOKEN_PAGE}?revoke=${mine.id}`);
    await page.locator("input[name=id]").evaluate((field, id) => field.setAttribute("value", String(id)), token.id);
    await answerQuestion(page, "Revoke token");
    await expect(page.getByText("Nothing was changed: you have no such token.")).toBeVisible();
    expect((await call("/api/v1/me", raw)).status).toBe(200);
    expect((await db.accessToken.findUniqueOrThrow({ where: { id: mine.id } })).revokedAt).toBeNull();
  });
});

test("a GET never creates and never revokes", async ({ page, account }) => {
  const { token } = await newNamedToken(account.id, "safe");
  for (const query of [
    `revoke=${token.id}`,
    `revoked=${token.id}`,
    "revoke=all",
    "revoked=all",
    "name=x&expiry=none",
    `id=${token.id}`,
  ]) {
    await page.goto(`${TOKEN_PAGE}?${query}`);
  }
  const rows = await db.accessToken.findMany({ where: { accountId: account.id } });
  expect(rows.map(({ id, revokedAt }) => ({ id, revokedAt }))).toEqual([{ id: token.id, revokedAt: null }]);
});

for (const { state, end, says } of [
  { state: "a revoked token", end: { revokedAt: new Date(Date.now() - HOUR) }, says: /Revoked\s*1 hour ago/ },
  { state: "an expired token", end: { expiresAt: new Date(Date.now() - HOUR) }, says: /Expired\s*1 hour ago/ },
]) {
  test(`${state} that is still used shows it on its row: how often, when last, from where, with what`, async ({
    page,
    account,
  }) => {
    const { raw, token } = await newNamedToken(account.id, "forgotten cron job");
    await db.accessToken.update({ where: { id: token.id }, data: end });
    for (let i = 0; i < 14; i++) {
      const headers = { "User-Agent": "curl/8.5.0", "X-Forwarded-For": "203.0.113.9" };
      expect((await call("/api/v1/me", raw, { headers })).status).toBe(401);
    }
    await expect
      .poll(async () => (await db.accessToken.findUnique({ where: { id: token.id } }))?.refusedCount)
      .toBe(14);
    await page.goto(TOKEN_PAGE);
    const row = page.getByRole("table", { name: "Revoked and expired tokens" }).getByRole("row", { name: /forgotten/ });
    await expect(row).toContainText(says);
    await expect(row).toContainText(/Refused 14 times, last (?:just now|\d+ seconds ago) from 203\.0\.113\.9 \(curl/);
  });
}

test("active tokens come first, newest first; ended ones stay for 90 days, then they are gone from the page", async ({
  page,
  account,
}) => {
  const ago = (days: number) => new Date(Date.now() - days * DAY);
  for (const [name, createdAt, ended] of [
    ["oldest active", ago(300), {}],
    ["newest active", ago(1), {}],
    ["just expired", ago(2), { expiresAt: new Date(Date.now() - HOUR) }],
    ["revoked 89 days ago", ago(100), { revokedAt: ago(89) }],
    ["revoked 91 days ago", ago(100), { revokedAt: ago(91) }],
    ["expired 91 days ago", ago(200), { expiresAt: ago(91) }],
  ] as const) {
    const { token } = await newNamedToken(account.id, name);
    await db.accessToken.update({ where: { id: token.id }, data: { createdAt, ...ended } });
  }
  await page.goto(TOKEN_PAGE);
  const names = await page.getByRole("rowheader").allInnerTexts();
  expect(names.map((text) => text.split("\n")[0])).toEqual([
    "newest active",
    "oldest active",
    "just expired",
    "revoked 89 days ago",
  ]);
});

test("of very many ended tokens the last hundred are shown, which is said, and the others are forgotten a day later", async ({
  page,
  account,
}) => {
  const ago = (ms: number) => new Date(Date.now() - ms);
  const { token: active } = await newNamedToken(account.id, "still active");
  await db.accessToken.createMany({
    data: Array.from({ length: MAX_ENDED_SHOWN + 20 }, (_, index) => ({
      accountId: account.id,
      name: `ended ${index}`,
      tokenHash: hashToken(mintToken()),
      hint: "0000",
      createdAt: ago(index < MAX_ENDED_SHOWN + 10 ? 2 * DAY : HOUR),
      revokedAt: ago((index + 1) * MINUTE),
    })),
  });
  await page.goto(TOKEN_PAGE);
  await page.getByText("90 more").click();
  await expect(page.getByRole("row", { name: /ended \d+/ })).toHaveCount(MAX_ENDED_SHOWN);
  await expect(page.getByText("The last 100; earlier ones are not kept")).toBeVisible();

  await deleteEndedTokens(Date.now(), 90, async () => true);
  const left = await db.accessToken.findMany({ where: { accountId: account.id }, orderBy: { id: "asc" } });
  expect(left.map(({ id, name }) => (id === active.id ? "active" : name))).toEqual([
    "active",
    ...Array.from({ length: MAX_ENDED_SHOWN }, (_, index) => `ended ${index}`),
    // Younger than a day: the form that made it may still be sent again.
    ...Array.from({ length: 10 }, (_, index) => `ended ${MAX_ENDED_SHOWN + 10 + index}`),
  ]);
});
