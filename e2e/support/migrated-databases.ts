import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { runSql } from "./run-sql";
import { createEmptyDatabase, createTestDatabase } from "./test-database";

// Databases for tests of migrations. Each is dropped at the end of its test.

export const MIGRATIONS = readdirSync("prisma/migrations", { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();
export const [BASELINE = ""] = MIGRATIONS;

export async function emptyDatabase(): Promise<string> {
  const { url, stop } = await createEmptyDatabase();
  onTestFinished(stop);
  return url;
}

export async function migratedDatabase(): Promise<string> {
  const { url, stop } = await createTestDatabase();
  onTestFinished(stop);
  return url;
}

/** A database of the last commit before the baseline, with a row or two in each table, as pg_dump --inserts wrote it. */
export async function earlierDatabase(): Promise<string> {
  const url = await emptyDatabase();
  await runSql(url, gunzipSync(readFileSync("e2e/support/before-the-baseline.sql.gz")).toString());
  return url;
}

export function recordsOf(url: string) {
  return runSql<{ migration_name: string }>(
    url,
    `select migration_name, checksum, finished_at is not null as is_done, applied_steps_count as steps
     from _prisma_migrations order by migration_name`,
  );
}

export function refusalOf(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(String, (error: Error) => error.message);
}
