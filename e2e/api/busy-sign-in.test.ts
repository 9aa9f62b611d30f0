import { expect, test } from "vitest";
import { newAccount } from "@/e2e/support/factories";
import { checkCredentials } from "@/lib/sign-in/credentials";

test("whoever the console has no time for is told that it is busy and when to try again, not that these were too many attempts", async () => {
  const { email } = await newAccount();
  const results = await Promise.all(
    Array.from({ length: 5 }, () => checkCredentials(email, "a wrong one", "198.51.100.7")),
  );
  const told = results.map((result) => (result.kind === "throttled" ? result.message : result.kind));
  expect(told.filter((words) => words === "refused")).toHaveLength(4);
  expect(told.find((words) => words !== "refused")).toMatch(/^The console is busy\. Try again in \d+ seconds?\.$/);
});
