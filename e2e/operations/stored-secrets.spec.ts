import { newAccount } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { db } from "@/lib/database/client";
import { DAY } from "@/lib/time";
import { hashToken, mintToken } from "@/lib/tokens/format";

// What the database client does by itself, so that no caller can forget it.

test("hashes of passwords, sessions and tokens are not even read unless they are asked for by name", async () => {
  const account = await newAccount();
  const accountId = account.id;
  await db.session.create({
    data: { tokenHash: hashToken(mintToken()), accountId, expiresAt: new Date(Date.now() + DAY) },
  });
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

  const asked = await db.accessToken.findFirstOrThrow({ where: { accountId }, omit: { tokenHash: false } });
  expect(asked.tokenHash).toBe(hashToken(account.token));
});

test("an undefined in a condition is an error, never a condition that is left out", async () => {
  const { id } = await newAccount();
  // @ts-expect-error: the compiler refuses it too
  const everyToken = db.accessToken.findMany({ where: { id, accountId: undefined } });
  await expect(everyToken).rejects.toThrow(/undefined/);
});
