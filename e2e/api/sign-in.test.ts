import { expect, test } from "vitest";
import { newAccount, newIp, newSession, PASSWORD, unique } from "@/e2e/support/factories";
import { db } from "@/lib/database/client";
import { checkCredentials } from "@/lib/sign-in/credentials";

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
  const nobody = `${unique("nobody")}@example.com`;
  const guess = (typed: string, from = newIp()) => checkCredentials(typed, "a wrong one", from);
  for (let attempt = 0; attempt < 30; attempt++) await Promise.all([guess(email), guess(nobody)]);
  // From the owner's own network too: the answer must not tell that somebody has signed in from there.
  for (const typed of [email, nobody]) {
    for (const result of [await guess(typed), await guess(typed, home)]) {
      expect(result).toEqual({ kind: "throttled", message: expect.stringMatching(/^Too many attempts\./) });
    }
  }
  expect(await checkCredentials(email, PASSWORD, newIp())).toMatchObject({ kind: "throttled" });
  expect(await checkCredentials(email, PASSWORD, home)).toMatchObject({ kind: "accepted", accountId: id });
});
