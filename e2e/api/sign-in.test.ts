import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { newAccount, newIp, newSession, PASSWORD, PASSWORD_HASH, unique } from "@/e2e/support/factories";
import { db } from "@/lib/database/client";
import { checkCredentials } from "@/lib/sign-in/credentials";

/** The mail addresses of new accounts, whose hashes take no time. */
async function newGuessed(count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, () => `${unique("guessed")}@example.com`);
  await db.account.createMany({ data: emails.map((email) => ({ email, name: "G", passwordHash: PASSWORD_HASH })) });
  return emails;
}

test("a sign-in during overload says that the console is busy and when to retry", async () => {
  const { email } = await newAccount();
  const results = await Promise.all(
    Array.from({ length: 5 }, () => checkCredentials(email, "a wrong one", "198.51.100.7")),
  );
  const told = results.map((result) => (result.kind === "throttled" ? result.message : result.kind));
  expect(told.filter((words) => words === "refused")).toHaveLength(4);
  expect(told.find((words) => words !== "refused")).toMatch(/^The console is busy\. Try again in \d+ seconds?\.$/);
});

test("strangers cannot lock an owner out where the owner has signed in before", async () => {
  const { id, email } = await newAccount();
  const home = newIp();
  await newSession(id);
  await db.session.updateMany({ where: { accountId: id }, data: { ip: home } });
  const { id: gone, email: nobody } = await newAccount();
  const guess = (typed: string, from = newIp()) => checkCredentials(typed, "a wrong one", from);
  for (let attempt = 0; attempt < 30; attempt++) await Promise.all([guess(email), guess(nobody)]);
  // Only now: each attempt at an e-mail without an account costs a real hash.
  await db.account.delete({ where: { id: gone } });
  // From the owner's own network too: the answer must not tell that somebody has signed in from there.
  for (const typed of [email, nobody]) {
    for (const result of [await guess(typed), await guess(typed, home)]) {
      expect(result).toEqual({ kind: "throttled", message: expect.stringMatching(/^Too many attempts\./) });
    }
  }
  expect(await checkCredentials(email, PASSWORD, newIp())).toMatchObject({ kind: "throttled" });
  expect(await checkCredentials(email, PASSWORD, home)).toMatchObject({ kind: "accepted", accountId: id });
});

test("one place that guesses at many accounts must wait, and other places need not", async () => {
  const guess = (email: string, from: string) => checkCredentials(email, "wrong password", from);
  const here = newIp();
  const [first = "", ...others] = await newGuessed(31);
  for (const email of others) expect(await guess(email, here)).toMatchObject({ kind: "refused" });
  const message = expect.stringMatching(/^Too many attempts\. Try again in [1-5] minutes?\.$/);
  expect(await guess(first, here)).toMatchObject({ kind: "throttled", message });
  expect(await guess(first, newIp())).toMatchObject({ kind: "refused" });
});

test("many networks of one home or site close sign-in there alone, sparing known accounts", async () => {
  const emails = await newGuessed(130);
  const signIn = async (email = "", from = "", password = "wrong password") => {
    const result = await checkCredentials(email, password, from);
    return result.kind === "throttled" ? /^Too many attempts|/.exec(result.message)?.[0] : result.kind;
  };
  // A site has 2^16 networks; a home 2^8 of them, with the first numbers of the fourth group in common.
  const site = `2001:db8:${randomBytes(2).toString("hex")}`;
  const network = (home: number, n: number) => `${site}:${((home << 8) + n).toString(16)}::1`;
  const [owner, other] = [await newAccount(), await newAccount()];
  await newSession(owner.id);
  await db.session.updateMany({ where: { accountId: owner.id }, data: { ip: network(1, 0xff) } });
  expect(await signIn(owner.email, network(1, 0xff), PASSWORD)).toBe("accepted");

  // The home of the owner: 60 attempts in all.
  for (let n = 1; n < 60; n++) expect(await signIn(emails[n], network(1, n))).toBe("refused");
  expect(await signIn(other.email, network(1, 200), PASSWORD)).toBe("Too many attempts");
  expect(await signIn(owner.email, network(1, 0xff), PASSWORD)).toBe("accepted");
  // Another home of the same site, until the site has had its 120.
  let judged = 0;
  for (let n = 1; n < 60; n++) if ((await signIn(emails[60 + n], network(2, n))) === "refused") judged++;
  expect(judged).toBeGreaterThan(50);
  expect(await signIn(other.email, network(3, 1), PASSWORD)).toBe("Too many attempts");
  expect(await signIn(owner.email, network(1, 0xff), PASSWORD)).toBe("accepted");
  // Another site.
  expect(await signIn(other.email, "2001:db8:ffff:1::1", PASSWORD)).toBe("accepted");
});
