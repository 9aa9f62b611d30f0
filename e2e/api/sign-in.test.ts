import { expect, test } from "vitest";
import { newAccount } from "@/e2e/support/factories";
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
