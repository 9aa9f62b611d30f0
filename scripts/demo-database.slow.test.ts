import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { runSql } from "@/e2e/support/run-sql";
import { tempFolder } from "@/e2e/support/temp-folder";
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
  const dir = tempFolder();
  await make(dir);
  const before = readdirSync(join(dir, "postgres")).sort();
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => said.mockRestore());
  const database = await openDemoDatabase(parseEnv({ DATA_DIR: dir }));
  const refusal = await requireMigrated(database.url).finally(database.stop);
  expect(refusal).toBeNull();
  const [aside = ""] = readdirSync(dir).filter((name) => /^postgres-\d{8}T\d{6}Z$/.test(name));
  expect(readdirSync(join(dir, aside)).sort()).toEqual(before);
  expect(
    said.mock.calls.filter(([line]) =>
      line.includes(`Its files are kept in ${join(dir, aside)}, and the demo begins with new ones.`),
    ),
  ).toHaveLength(1);
});

async function fillFiles(dir: string, sql: string): Promise<void> {
  const database = await startEmbeddedDatabase(dir);
  await runSql(database.url, sql);
  await database.stop();
}
