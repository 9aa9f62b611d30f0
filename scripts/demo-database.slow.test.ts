import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runSql } from "@/e2e/support/run-sql";
import { parseEnv } from "@/lib/process/env-variables";
import { startEmbeddedDatabase } from "@/server/embedded/database";
import { openDemoDatabase } from "./demo-database";
import { requireMigrated } from "./require-migrated";

test.each([
  [
    "was left by an earlier version",
    async (dir: string) => fillFiles(dir, "create table of_an_earlier_version (id int)"),
  ],
  [
    "are those of another PostgreSQL",
    async (dir: string) => {
      mkdirSync(join(dir, "postgres"));
      writeFileSync(join(dir, "postgres/PG_VERSION"), "12\n");
    },
  ],
])("the demo moves embedded files that %s aside, deletes nothing and starts anew", async (_, make) => {
  const dir = mkdtempSync(join(tmpdir(), "console-data-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  await make(dir);
  const before = readdirSync(join(dir, "postgres")).sort();
  const said: string[] = [];
  const database = await openDemoDatabase(parseEnv({ DATA_DIR: dir }), (line) => said.push(line));
  try {
    expect(await requireMigrated(database.url)).toBeNull();
  } finally {
    await database.stop();
  }
  const [aside = ""] = readdirSync(dir).filter((name) => /^postgres-\d{8}T\d{6}Z$/.test(name));
  expect(readdirSync(join(dir, aside)).sort()).toEqual(before);
  expect(
    said.filter((line) =>
      line.includes(`Its files are kept in ${join(dir, aside)}, and the demo begins with new ones.`),
    ),
  ).toHaveLength(1);
});

async function fillFiles(dir: string, sql: string): Promise<void> {
  const database = await startEmbeddedDatabase(dir);
  await runSql(database.url, sql);
  await database.stop();
}
