import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { call } from "@/e2e/support/ask";
import { newAccount, newNamedToken } from "@/e2e/support/factories";
import { db } from "@/lib/database/client";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { replaceToken, revokeTokens } from "@/lib/tokens/management";
import type { Overlap } from "@/lib/tokens/replacement";
import { recordLimited, recordRequest } from "@/lib/tokens/use";

// The use of a token is written after the responses, in batches, and shown to its owner.

/** Within an hour and a minute, whenever the test runs. */
const AT = Math.floor(Date.now() / HOUR) * HOUR + SECOND;

test("requests of a token are counted with their origin", async () => {
  const { id, token } = await newAccount();
  const { id: tokenId } = await db.accessToken.findFirstOrThrow({ where: { accountId: id } });
  const headers = { "User-Agent": "curl/8.5.0", "X-Forwarded-For": "2001:db8:1:2:3::4" };
  expect((await call("/api/v1/me", token, { headers })).status).toBe(200);
  await expect
    .poll(() => db.tokenUseHour.findMany({ where: { tokenId } }))
    .toMatchObject([{ requests: 1, limited: 0, refused: 0, peak: 1 }]);
  expect(await db.tokenVisitor.findMany({ where: { tokenId } })).toMatchObject([
    { ip: "2001:db8:1:2:3::4", network: "2001:db8:1:2::/64", agent: "curl/8.5.0", requests: 1 },
  ]);
});

test("use is written in batches with the busiest minute and the last twenty ips", async () => {
  const { id } = await newAccount();
  const { token } = await newNamedToken(id, "busy");
  for (let i = 0; i < 125; i++) recordRequest(token.id, "requests", { ip: null, agent: null }, AT);
  for (let i = 0; i < 5; i++) recordLimited(token.id, AT);
  for (let i = 0; i < 25; i++) {
    recordRequest(token.id, "requests", { ip: `192.0.2.${i}`, agent: "a\u202Eb" }, AT + MINUTE);
  }
  recordRequest(token.id, "requests", { ip: "192.0.2.7", agent: "a" }, AT + MINUTE);
  const hours = () => db.tokenUseHour.findMany({ where: { tokenId: token.id } });
  const written = [{ hour: new Date(AT - SECOND), requests: 151, limited: 5, refused: 0, peak: 125 }];
  await expect.poll(hours).toMatchObject(written);
  const visitors = await db.tokenVisitor.findMany({ where: { tokenId: token.id } });
  expect(visitors).toHaveLength(20);
  expect(new Set(visitors.map(({ agent }) => agent))).toEqual(new Set(["ab", "a"]));
  expect(visitors.filter(({ requests }) => requests !== 1).map(({ ip, requests }) => [ip, requests])).toEqual([
    ["192.0.2.7", 2],
  ]);

  recordRequest(token.id, "requests", { ip: null, agent: null }, Date.now());
  // A batch that is written after the next one would be.
  const { token: later } = await newNamedToken(id, "later");
  recordRequest(later.id, "requests", { ip: null, agent: null }, Date.now());
  await expect.poll(() => db.tokenUseHour.count({ where: { tokenId: later.id } })).toBe(1);
  expect(await hours()).toMatchObject(written);
});

test("a token replaced again outlives the first use of the new one", async () => {
  const { id } = await newAccount();
  const { token: old } = await newNamedToken(id, "old");
  const replace = async (overlap: Overlap, of = old.id) => {
    const replaced = await replaceToken(id, of, { overlap, formNonce: randomBytes(16).toString("base64url") });
    if (replaced.kind !== "created") throw new Error(`It was ${replaced.kind}.`);
    return replaced;
  };
  await revokeTokens(id, [(await replace("first-use")).token.id]);
  // The lost one was itself replaced before, with an overlap of an hour.
  const lost = (await replace("day")).token.id;
  await revokeTokens(id, [(await replace("hour", lost)).token.id, lost]);
  const { raw, token } = await replace("week");
  expect(token.expiresAt).toBeNull();
  expect((await call("/api/v1/me", raw)).status).toBe(200);
  const find = (tokenId: number) => db.accessToken.findUniqueOrThrow({ where: { id: tokenId } });
  await expect.poll(async () => (await find(token.id)).firstUsedAt).not.toBeNull();
  expect((await find(old.id)).revokedAt).toBeNull();
});

test("the first use of a replacement ends the token it replaces and no other", async () => {
  const { id } = await newAccount();
  const { raw: oldRaw, token: old } = await newNamedToken(id, "old");
  const { token: other } = await newNamedToken(id, "with an overlap of its own");
  const { raw: newRaw, token: fresh } = await newNamedToken(id, "new");
  await db.accessToken.update({ where: { id: old.id }, data: { replacedById: fresh.id, endsOnFirstUse: true } });
  await db.accessToken.update({ where: { id: other.id }, data: { replacedById: fresh.id } });
  expect((await call("/api/v1/me", oldRaw)).status).toBe(200);
  expect((await call("/api/v1/me", newRaw)).status).toBe(200);
  const find = (tokenId: number) => db.accessToken.findUniqueOrThrow({ where: { id: tokenId } });
  await expect.poll(async () => (await find(old.id)).revokedAt).not.toBeNull();
  expect((await find(old.id)).revokedAt).toEqual((await find(fresh.id)).firstUsedAt);
  expect((await find(other.id)).revokedAt).toBeNull();
  expect((await call("/api/v1/me", oldRaw)).status).toBe(401);
});
