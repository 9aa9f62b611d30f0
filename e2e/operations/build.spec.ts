import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@/e2e/support/fixtures";
import { DIST_DIRS } from "@/scripts/build";

// The build that the tests run on, made as npm run demo makes its.

test("a build leaves no bundler cache behind", () => {
  expect(existsSync(join(DIST_DIRS.test, "BUILD_ID"))).toBe(true);
  for (const name of ["turbopack", "webpack"]) {
    expect(existsSync(join(DIST_DIRS.test, "cache", name)), name).toBe(false);
  }
});
