import { expect, test } from "vitest";
import { ask, call, expectFailure, sendMcp } from "@/e2e/support/ask";
import { bearer, comparable, ENDPOINT_PATHS } from "@/e2e/support/calls";
import { newAccount, unique } from "@/e2e/support/factories";
import type { McpAnswer } from "@/e2e/support/mcp-client";
import { recordQueries, SET_UP } from "@/e2e/support/recorded-queries";
import { setAccountDisabled } from "@/lib/accounts/accounts";
import { db } from "@/lib/database/client";
import { authenticate } from "@/lib/tokens/authentication";
import { mintToken } from "@/lib/tokens/format";
import { createToken, findToken, replaceToken, restrictToken, revokeTokens } from "@/lib/tokens/management";

// A token may name the networks that it works from. The consoles of these tests trust one proxy, so that a test can come
// from any ip.

const INSIDE = "203.0.113.7";
const OUTSIDE = "203.0.114.7";
const NETWORKS = "203.0.113.0/24\r\n2001:db8:7::/48";
const INVALID = "Invalid or revoked access token.";

const from = (ip: string) => ({ headers: { "X-Forwarded-For": ip } });

async function newRestrictedToken(networks = NETWORKS) {
  const { id: accountId } = await newAccount();
  const result = await createToken(accountId, { name: unique("Token"), expiresAt: null, networks });
  if (result.kind !== "created") throw new Error(JSON.stringify(result));
  return { accountId, raw: result.raw, id: result.token.id };
}

const scrape = async (raw: string, ip: string) =>
  comparable(await ask("/metrics", { headers: { ...bearer(raw), "X-Forwarded-For": ip } }));

async function askMcp(raw: string, ip: string) {
  const { status, headers, json }: McpAnswer = await sendMcp(
    raw,
    "tools/call",
    { name: "account", arguments: {} },
    "2026-07-28",
    { "X-Forwarded-For": ip },
  );
  return comparable({ status, headers, text: JSON.stringify(json) });
}

test("outside its networks a token is refused by every endpoint like a revoked one", async () => {
  const { raw } = await newRestrictedToken();
  const revoked = await newRestrictedToken();
  await revokeTokens(revoked.accountId, [revoked.id]);
  for (const path of ENDPOINT_PATHS) {
    const answer = comparable(await expectFailure(call(path, raw, from(OUTSIDE)), 401, INVALID));
    expect(answer).toEqual(comparable(await call(path, revoked.raw, from(OUTSIDE))));
    expect((await call(path, raw, from(INSIDE))).status).not.toBe(401);
  }
  for (const ask of [scrape, askMcp]) {
    const answer = await ask(raw, OUTSIDE);
    expect(answer).toEqual(await ask(revoked.raw, OUTSIDE));
    expect(answer.status).toBe(401);
    expect((await ask(raw, INSIDE)).status).toBe(200);
  }
});

test("one statement authenticates concurrent tokens, each by its own account and ip", async () => {
  const [restricted, other] = await Promise.all([newRestrictedToken(), newRestrictedToken("198.51.100.1")]);
  const [free, disabled, revoked] = [await newAccount(), await newAccount(), await newRestrictedToken()];
  await setAccountDisabled(disabled.email, true);
  await revokeTokens(revoked.accountId, [revoked.id]);
  const requests = [
    [restricted.raw, INSIDE, restricted.accountId],
    [restricted.raw, OUTSIDE, null],
    [other.raw, INSIDE, null],
    [other.raw, "198.51.100.1", other.accountId],
    [restricted.raw, "2001:db8:7::1", restricted.accountId],
    // An unknown ip is outside.
    [restricted.raw, null, null],
    [free.token, null, free.id],
    [mintToken(), INSIDE, null],
    [disabled.token, INSIDE, null],
    [revoked.raw, INSIDE, null],
    [free.token, OUTSIDE, free.id],
  ] as const;
  const queries = await recordQueries(async () => {
    const callers = await Promise.all(requests.map(([raw, ip]) => authenticate(raw, { ip, agent: null })));
    expect(callers.map((caller) => caller?.account.id ?? null)).toEqual(requests.map(([, , account]) => account));
  });
  expect(queries.filter(({ text }) => text.startsWith("select"))).toHaveLength(1);
});

test("refusing a revoked token or one from elsewhere costs the same statements", async () => {
  const restricted = await newRestrictedToken();
  const revoked = await newRestrictedToken();
  await revokeTokens(revoked.accountId, [revoked.id]);
  const statementsOf = async ({ raw, id, accountId }: typeof restricted) => {
    const queries = await recordQueries(async () => {
      expect(await authenticate(raw, { ip: OUTSIDE, agent: null })).toBeNull();
      await expect.poll(async () => (await findToken(accountId, id))?.refusedCount).toBe(1);
    }, SET_UP);
    return queries.filter(({ text }) => !text.startsWith("SELECT")).map(({ text }) => text);
  };
  const [whenRevoked, whenElsewhere] = [await statementsOf(revoked), await statementsOf(restricted)];
  expect(whenElsewhere.slice(0, 2)).toEqual(whenRevoked.slice(0, 2));
  expect(whenElsewhere).toHaveLength(whenRevoked.length);
});

test("a refusal from elsewhere is counted with ip and program, not as a use", async () => {
  const { raw, id, accountId } = await newRestrictedToken();
  const init = { headers: { "X-Forwarded-For": OUTSIDE, "User-Agent": "thief/1" } };
  for (let i = 0; i < 3; i++) expect((await call("/api/v1/me", raw, init)).status).toBe(401);
  await expect.poll(async () => (await findToken(accountId, id))?.refusedCount).toBe(3);
  expect(await findToken(accountId, id)).toMatchObject({
    lastRefusedIp: OUTSIDE,
    lastRefusedAgent: "thief/1",
    lastUsedAt: null,
    firstUsedAt: null,
  });
  await expect
    .poll(() => db.tokenUseHour.findMany({ where: { tokenId: id } }))
    .toMatchObject([{ requests: 0, refused: 3, peak: 0 }]);
  expect(await db.tokenVisitor.count({ where: { tokenId: id } })).toBe(0);
});

test("changed networks hold from the very next request on, however often they change", async () => {
  const { raw, id, accountId } = await newRestrictedToken("");
  for (const [networks, status] of [
    ["", 200],
    ["198.51.100.0/24", 401],
    [NETWORKS, 200],
    ["10.0.0.0/8", 401],
    ["", 200],
  ] as const) {
    expect((await restrictToken(accountId, id, networks)).kind).toBe("restricted");
    expect((await call("/api/v1/me", raw, from(INSIDE))).status, networks).toBe(status);
  }
});

test("a replacement inherits networks, and use from elsewhere does not end the old token", async () => {
  const old = await newRestrictedToken();
  const formNonce = unique("a-form-of-its-own");
  const result = await replaceToken(old.accountId, old.id, { overlap: "first-use", formNonce });
  if (result.kind !== "created") throw new Error(JSON.stringify(result));
  expect(result.token.networks).toEqual(["203.0.113.0/24", "2001:db8:7::/48"]);
  expect((await call("/api/v1/me", result.raw, from(OUTSIDE))).status).toBe(401);
  expect((await call("/api/v1/me", old.raw, from(INSIDE))).status).toBe(200);
  expect((await call("/api/v1/me", result.raw, from(INSIDE))).status).toBe(200);
  await expect.poll(async () => (await findToken(old.accountId, old.id))?.revokedAt ?? null).not.toBeNull();
});

test("networks of another account's token, and of one that has ended, cannot be changed", async () => {
  const { raw, id, accountId } = await newRestrictedToken();
  const stranger = await newAccount();
  const refused = { kind: "invalid", field: "networks" };
  expect(await restrictToken(stranger.id, id, "")).toMatchObject(refused);
  expect((await call("/api/v1/me", raw, from(OUTSIDE))).status).toBe(401);
  await revokeTokens(accountId, [id]);
  expect(await restrictToken(accountId, id, "")).toMatchObject(refused);
});
