import { expect, test } from "vitest";
import { ago, newAccount, newNamedToken } from "@/e2e/support/factories";
import { call, statusOf } from "@/e2e/support/over-http";
import { newVisitor, visitorWithToken } from "@/e2e/support/site";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { deleteOld } from "@/lib/sweep/retention";
import { hashToken, mintToken } from "@/lib/tokens/format";
import { MAX_ENDED_SHOWN, revokeTokens } from "@/lib/tokens/management";

test("revoking asks first, naming the token; then the next request is 401", async () => {
  const { account, page, raw, token } = await visitorWithToken("old laptop");
  const other = await newNamedToken(account.id, "kept");
  await call("/api/v1/me", raw, { headers: { "User-Agent": "curl/8.5.0", "X-Forwarded-For": "198.51.100.9" } });
  await expect
    .poll(async () => (await db.accessToken.findUnique({ where: { id: token.id } }))?.lastUsedAt ?? null)
    .not.toBeNull();
  await page.goto(TOKEN_PAGE);
  await page.follow(/^Revoke old laptop/);
  const question = page.textOf(page.part("Revoke “old laptop”?"));
  expect(question).toContain("old laptop");
  expect(question).toContain(`cpat_…${raw.slice(-4)}`);
  expect(question).toContain("from 198.51.100.9 (curl");
  await page.follow("Cancel");
  expect(page.$("dialog").length).toBe(0);
  expect(await statusOf(raw)).toBe(200);

  await page.follow(/^Revoke old laptop/);
  await page.press("Revoke token");
  expect(page.statuses.join()).toMatch(/old laptop.*was revoked/);
  expect(await statusOf(raw)).toBe(401);
  expect(await statusOf(other.raw)).toBe(200);
  expect(page.textOf(page.rows("old laptop", "Revoked and expired tokens"))).toContain("Revoked");
});

test("revoke all names how many, and refuses every token from its next request", async () => {
  const { account, page } = await newVisitor();
  const tokens = [];
  for (const name of ["one", "two", "three"]) tokens.push(await newNamedToken(account.id, name));
  const stranger = await newAccount();
  await page.goto(TOKEN_PAGE);
  await page.follow("Revoke all");
  expect(page.hasPart("Revoke all 3 active tokens?")).toBe(true);
  await page.press("Revoke all");
  expect(page.statuses.join()).toContain("3 tokens were revoked");
  for (const { raw } of tokens) expect(await statusOf(raw)).toBe(401);
  expect(await statusOf(stranger.token)).toBe(200);
});

test("revoking twice changes nothing and says so", async () => {
  const { account, page, token } = await visitorWithToken("twice");
  await page.goto(`${TOKEN_PAGE}?revoke=${token.id}`);
  await revokeTokens(account.id, [token.id]);
  const before = await db.accessToken.findUniqueOrThrow({ where: { id: token.id } });
  await page.press("Revoke token");
  expect(page.statuses.join()).toMatch(/Nothing was changed.*was already revoked/);
  expect(await db.accessToken.findUniqueOrThrow({ where: { id: token.id } })).toEqual(before);
});

test("another account's token can be neither seen nor revoked", async () => {
  const { account, page } = await newVisitor();
  const stranger = await newAccount();
  const { raw, token } = await newNamedToken(stranger.id, "not yours");
  const { token: mine } = await newNamedToken(account.id, "mine");
  await page.goto(`${TOKEN_PAGE}?revoke=${token.id}`);
  expect(page.$("dialog").length).toBe(0);
  expect(page.text).toContain("Nothing was changed: you have no such token.");
  expect(page.html).not.toContain("not yours");

  await page.goto(`${TOKEN_PAGE}?revoke=${mine.id}`);
  await page.press("Revoke token", {}, { forged: { id: String(token.id) } });
  expect(page.text).toContain("Nothing was changed: you have no such token.");
  expect(await statusOf(raw)).toBe(200);
  expect((await db.accessToken.findUniqueOrThrow({ where: { id: mine.id } })).revokedAt).toBeNull();
});

test("a GET never creates and never revokes", async () => {
  const { account, page, token } = await visitorWithToken("safe");
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
  { state: "a revoked token", end: { revokedAt: ago(HOUR) }, says: /Revoked\s*1 hour ago/ },
  { state: "an expired token", end: { expiresAt: ago(HOUR) }, says: /Expired\s*1 hour ago/ },
]) {
  test(`${state} that is still used shows how often and from where on its row`, async () => {
    const { page, raw, token } = await visitorWithToken("forgotten cron job", { ...end, refusedCount: 13 });
    const headers = { "User-Agent": "curl/8.5.0", "X-Forwarded-For": "203.0.113.9" };
    expect((await call("/api/v1/me", raw, { headers })).status).toBe(401);
    await expect
      .poll(async () => (await db.accessToken.findUnique({ where: { id: token.id } }))?.refusedCount)
      .toBe(14);
    await page.goto(TOKEN_PAGE);
    const row = page.textOf(page.rows("forgotten", "Revoked and expired tokens"));
    expect(row).toMatch(says);
    expect(row).toMatch(/Refused 14 times, last (?:just now|.+ ago) from 203\.0\.113\.9 \(curl/);
  });
}

test("active tokens come first, and ended ones stay listed for 90 days", async () => {
  const { account, page } = await newVisitor();
  for (const [name, createdAt, ended] of [
    ["oldest active", ago(300 * DAY), {}],
    ["newest active", ago(DAY), {}],
    ["just expired", ago(2 * DAY), { expiresAt: ago(HOUR) }],
    ["revoked 89 days ago", ago(100 * DAY), { revokedAt: ago(89 * DAY) }],
    ["revoked 91 days ago", ago(100 * DAY), { revokedAt: ago(91 * DAY) }],
    ["expired 91 days ago", ago(200 * DAY), { expiresAt: ago(91 * DAY) }],
  ] as const) {
    await newNamedToken(account.id, name, { createdAt, ...ended });
  }
  await page.goto(TOKEN_PAGE);
  expect(page.textsOf("tbody th a:first-of-type")).toEqual([
    "newest active",
    "oldest active",
    "just expired",
    "revoked 89 days ago",
  ]);
});

test("at most the last hundred ended tokens are shown, and the page says so", async () => {
  const { account, page, token: active } = await visitorWithToken("still active");
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
  expect(page.text).toContain("90 more");
  expect(page.rows(/ended \d+/).length).toBe(MAX_ENDED_SHOWN);
  expect(page.text).toContain("The last 100; earlier ones are not kept");

  await deleteOld("tokens", async () => true);
  const left = await db.accessToken.findMany({ where: { accountId: account.id }, orderBy: { id: "asc" } });
  expect(left.map(({ id, name }) => (id === active.id ? "active" : name))).toEqual([
    "active",
    ...Array.from({ length: MAX_ENDED_SHOWN }, (_, index) => `ended ${index}`),
    // Younger than a day: the form that made it may still be sent again.
    ...Array.from({ length: 10 }, (_, index) => `ended ${MAX_ENDED_SHOWN + 10 + index}`),
  ]);
});
