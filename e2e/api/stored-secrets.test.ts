import { expect, test } from "vitest";
import { newAccount, newNamedToken, newSession } from "@/e2e/support/factories";
import { recordQueries } from "@/e2e/support/recorded-queries";
import { db } from "@/lib/database/client";
import { hashToken } from "@/lib/tokens/format";

// What the database client does by itself, so that no caller can forget it.

test("hashes of passwords, sessions and tokens are read only when requested by name", async () => {
  const account = await newAccount();
  const accountId = account.id;
  await newSession(accountId);
  const token = await db.accessToken.findFirstOrThrow({ where: { accountId } });
  expect(token).toHaveProperty("hint", account.token.slice(-4));
  expect(token).not.toHaveProperty("tokenHash");
  const session = await db.session.findFirstOrThrow({ where: { accountId } });
  expect(session).toHaveProperty("accountId", accountId);
  expect(session).not.toHaveProperty("tokenHash");
  const owner = await db.account.findFirstOrThrow({
    where: { id: accountId },
    include: { accessTokens: true, sessions: true },
  });
  expect(owner).toHaveProperty("email", account.email);
  expect(JSON.stringify(owner)).not.toMatch(/hash/i);

  const stored = await db.accessToken.findFirstOrThrow({ where: { accountId }, omit: { tokenHash: false } });
  expect(stored.tokenHash).toBe(hashToken(account.token));
});

test("only the hash of a new token ever reaches the database", async () => {
  const { id } = await newAccount();
  let raw = "";
  const queries = await recordQueries(async () => {
    raw = (await newNamedToken(id, "watched")).raw;
  });
  const body = raw.split("_")[1] ?? "";
  const sent = queries.map(({ text, values }) => JSON.stringify([text, values]));
  expect(sent.filter((statement) => statement.includes(hashToken(raw)))).toHaveLength(1);
  const encoded = (text: string) => Buffer.from(text).toString("base64").replace(/=+$/, "");
  for (const trace of [body.slice(0, 12), body.slice(-12), encoded(raw), encoded(body)]) {
    expect(sent.filter((statement) => statement.includes(trace))).toEqual([]);
  }
});

test("an undefined condition value is an error, never a missing condition", async () => {
  const { id } = await newAccount();
  // @ts-expect-error: the compiler refuses it too
  const everyToken = db.accessToken.findMany({ where: { id, accountId: undefined } });
  await expect(everyToken).rejects.toThrow(/undefined/);
});
