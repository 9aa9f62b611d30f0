import { createHash } from "node:crypto";
import { expect, test, vi } from "vitest";
import { answer, ask, call, expectFailure, spend } from "@/e2e/support/ask";
import { type Answer, comparable, ENDPOINT_PATHS } from "@/e2e/support/calls";
import { newAccount, newToken } from "@/e2e/support/factories";
import { setAccountDisabled } from "@/lib/accounts/accounts";
import { db } from "@/lib/database/client";
import { DAY, HOUR, SECOND } from "@/lib/format/time";
import { mintToken } from "@/lib/tokens/format";
import { findToken, revokeTokens } from "@/lib/tokens/management";

const MISSING = 'Missing access token. Send "Authorization: Bearer <token>".';
const MALFORMED = "Malformed access token: it looks incomplete or mistyped.";
const INVALID = "Invalid or revoked access token.";

async function tokenId(raw: string): Promise<number> {
  const tokenHash = createHash("sha256").update(raw).digest("hex");
  return (await db.accessToken.findUniqueOrThrow({ where: { tokenHash }, select: { id: true } })).id;
}

const withHeader = (authorization: string) => call("/api/v1/me", null, { headers: { Authorization: authorization } });

for (const [what, header] of [
  ["nothing", ""],
  ["the scheme alone", "Bearer"],
  ["the scheme and spaces", "Bearer    "],
  ["Basic", "Basic YTpi"],
  ["another scheme", "Token abc"],
  ["a bare token", mintToken()],
  ["a scheme that only begins like Bearer", `Bearers ${mintToken()}`],
] as const) {
  test(`${what} in Authorization is 401 missing, with a Bearer challenge`, async () => {
    const answer = await expectFailure(withHeader(header), 401, MISSING);
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="console-api"');
  });
}

test("no Authorization header at all is 401 missing on each endpoint", async () => {
  for (const path of ENDPOINT_PATHS) {
    await expectFailure(call(path, null), 401, MISSING);
  }
});

test("a token with one character changed, cut, doubled or wrapped is 401 malformed", async () => {
  const { token } = await newAccount();
  const swap = (text: string, at: number) => text.slice(0, at) + (text[at] === "a" ? "b" : "a") + text.slice(at + 1);
  const wrong = [
    swap(token, 10),
    swap(token, token.length - 1),
    swap(token, 0),
    token.slice(0, -1),
    token.slice(1),
    token.toUpperCase(),
    `${token}${token}`,
    `${token} ${token}`,
    `${token},`,
    `"${token}"`,
    `${token.slice(0, 20)} ${token.slice(20)}`,
    `${token}\u00e9`,
    "cpat_",
    "x".repeat(10_000),
  ];
  for (const text of wrong) {
    const answer = await expectFailure(withHeader(`Bearer ${text}`), 401, MALFORMED);
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="console-api", error="invalid_token"');
  }
});

test("the case of the scheme and blanks around the token do not matter", async () => {
  const { token } = await newAccount();
  const spellings = [`bearer ${token}`, `BEARER ${token}`, `BeArEr ${token}`];
  for (const header of [...spellings, `Bearer   ${token}`, `Bearer \t ${token}`, `  Bearer ${token}  `]) {
    expect((await withHeader(header)).status, header).toBe(200);
  }
});

test("a token anywhere but in the Authorization header is not looked at", async () => {
  const { token } = await newAccount();
  for (const path of [
    `/api/v1/me?access_token=${token}`,
    `/api/v1/me?token=${token}`,
    `/api/v1/me?authorization=${token}`,
  ]) {
    await expectFailure(call(path, null), 401, MISSING);
  }
  for (const headers of [
    { Cookie: `token=${token}; session=${token}; Authorization=${token}` },
    { "X-API-Key": token },
    { "X-Access-Token": token },
    { "Proxy-Authorization": `Bearer ${token}` },
  ] as Record<string, string>[]) {
    await expectFailure(call("/api/v1/me", null, { headers }), 401, MISSING);
  }
  const { status, text } = await ask("/api/v1/me", {
    method: "POST",
    body: new URLSearchParams({ access_token: token }),
  });
  expect([status, JSON.parse(text)]).toEqual([401, { error: MISSING }]);
});

test("unknown, revoked, expired, and of a disabled account: four identical answers", async () => {
  const revoked = await newAccount();
  await revokeTokens(revoked.id, [await tokenId(revoked.token)]);
  const expired = await newAccount();
  await db.accessToken.updateMany({ where: { accountId: expired.id }, data: { expiresAt: new Date(Date.now() - 1) } });
  const disabled = await newAccount();
  await setAccountDisabled(disabled.email, true);

  const answers: Answer[] = [];
  for (const token of [mintToken(), revoked.token, expired.token, disabled.token]) {
    answers.push(await expectFailure(call("/api/v1/me", token), 401, INVALID));
  }
  const [first, ...rest] = answers.map((answer) => comparable(answer));
  for (const answer of rest) expect(answer).toEqual(first);
});

test("a disabled account's token works again once the account is enabled", async () => {
  const { email, token } = await newAccount();
  await setAccountDisabled(email, true);
  await expectFailure(call("/api/v1/me", token), 401, INVALID);
  await setAccountDisabled(email, false);
  expect((await call("/api/v1/me", token)).status).toBe(200);
});

test("X-Token-Expires-At is on every answer to a token with an end, and no other", async () => {
  const { id: accountId, token } = await newAccount();
  const expiresAt = new Date(Date.now() + DAY);
  const ending = await newToken(accountId, expiresAt);
  const endOf = async (path: string, raw: string | null, init = {}) => {
    const { status, headers } = await call(path, raw, init);
    return [status, headers.get("x-token-expires-at")];
  };
  const end = String(expiresAt.getTime());
  expect(await endOf("/api/v1/me", ending)).toEqual([200, end]);
  expect(await endOf("/api/v1/servers", ending, { method: "HEAD" })).toEqual([200, end]);
  expect(await endOf("/api/v1/servers/2147483647", ending)).toEqual([404, end]);
  expect(await endOf("/api/v1/me", ending, { method: "POST" })).toEqual([405, end]);
  await spend(ending, 116);
  expect(await endOf("/api/v1/me", ending)).toEqual([429, end]);
  expect(await endOf("/api/v1/me", token)).toEqual([200, null]);
  expect(await endOf("/api/v1/me", null)).toEqual([401, null]);
  await db.accessToken.updateMany({ where: { accountId }, data: { expiresAt: new Date(Date.now() - 1) } });
  expect(await endOf("/api/v1/me", ending)).toEqual([401, null]);
  const scrape = await answer("/metrics", { headers: { Authorization: `Bearer ${token}` } });
  expect(scrape.headers.get("access-control-expose-headers")).toContain("X-Token-Expires-At");
});

/** A token that ends in so long by PostgreSQL's clock. */
async function newEndingToken(ends: string): Promise<string> {
  const { token } = await newAccount();
  await db.$executeRaw`update access_tokens set expires_at = now() + ${ends}::interval where id = ${await tokenId(token)}`;
  return token;
}

test("a token is refused from the instant it expires", async () => {
  expect((await call("/api/v1/me", await newEndingToken("1 minute"))).status).toBe(200);
  await expectFailure(call("/api/v1/me", await newEndingToken("0 seconds")), 401, INVALID);
});

test("a token ends by PostgreSQL's clock, whatever that of the console says", async () => {
  for (const [off, ends, status] of [
    [-HOUR, "-1 second", 401],
    [HOUR, "30 minutes", 200],
  ] as const) {
    const token = await newEndingToken(ends);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + off });
    try {
      expect((await call("/api/v1/me", token)).status, ends).toBe(status);
    } finally {
      vi.useRealTimers();
    }
  }
});

test("revoking one token leaves the account's other token alone", async () => {
  const { id, token } = await newAccount();
  const other = await newToken(id);
  await revokeTokens(id, [await tokenId(token)]);
  await expectFailure(call("/api/v1/me", token), 401, INVALID);
  expect((await call("/api/v1/me", other)).status).toBe(200);
});

test("a second request within the minute writes nothing, one after it does", async () => {
  const { id: accountId, token } = await newAccount();
  const id = await tokenId(token);
  const recent = new Date(Date.now() - 30 * SECOND);
  await db.accessToken.update({ where: { id }, data: { lastUsedAt: recent, firstUsedAt: recent } });
  await call("/api/v1/me", token);
  const old = new Date(Date.now() - 61 * SECOND);
  const other = await newToken(accountId);
  const otherId = await tokenId(other);
  await db.accessToken.update({ where: { id: otherId }, data: { lastUsedAt: old, firstUsedAt: old } });
  await call("/api/v1/me", other);
  await expect
    .poll(async () => (await findToken(accountId, otherId))?.lastUsedAt?.getTime())
    .toBeGreaterThan(old.getTime());
  expect((await findToken(accountId, otherId))?.firstUsedAt).toEqual(old);
  expect((await findToken(accountId, id))?.lastUsedAt).toEqual(recent);
});

test("the owner sees every refusal of a revoked token counted, with the last origin", async () => {
  const { id: accountId, token } = await newAccount();
  const id = await tokenId(token);
  await revokeTokens(accountId, [id]);
  const headers = { "User-Agent": "forgotten-cron/1" };
  await Promise.all(Array.from({ length: 30 }, () => call("/api/v1/me", token, { headers })));
  await expect.poll(async () => (await findToken(accountId, id))?.refusedCount).toBe(30);
  expect(await findToken(accountId, id)).toMatchObject({
    lastRefusedIp: "127.0.0.1",
    lastRefusedAgent: "forgotten-cron/1",
    lastUsedAt: null,
  });
  // What was refused is no use.
  const where = { tokenId: id };
  const hours = () => db.tokenUseHour.findMany({ where });
  await expect.poll(hours).toMatchObject([{ requests: 0, refused: 30, peak: 0 }]);
  expect(await db.tokenVisitor.findMany({ where })).toMatchObject([{ requests: 0 }]);
  const most = 2 ** 31 - 1;
  await db.accessToken.update({ where: { id }, data: { refusedCount: most - 1 } });
  await Promise.all(Array.from({ length: 3 }, () => call("/api/v1/me", token, { headers })));
  await expect.poll(async () => (await findToken(accountId, id))?.refusedCount).toBe(most);
});
