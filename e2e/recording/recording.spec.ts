import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { startConsole } from "@/e2e/support/console-server";
import { expect, own, test } from "@/e2e/support/fixtures";
import { runSql } from "@/e2e/support/run-sql";
import { createTestDatabase } from "@/e2e/support/test-database";
import { PARTS, TOKEN_PARTS } from "./parts";
import { ORIGIN, record } from "./play";
import { seed } from "./seed";

const FILE = "e2e/recording/recording.spec.ts-snapshots/recording.txt";

test("the console answers exactly as recorded", async () => {
  const database = await own(createTestDatabase());
  const start = Date.now();
  // Before the console comes, whose jobs read and write the same rows.
  await runSql(database.url, seed(start, TOKEN_PARTS));
  const app = await own(startConsole(database.url, { BASE_URL: ORIGIN, TRUSTED_PROXIES: "1" }));
  const answers = await record(app.origin, start, PARTS);
  if (process.env.RECORD === "1" || !existsSync(FILE)) writeFileSync(FILE, answers);
  expect(answers).toBe(readFileSync(FILE, "utf8"));
});
