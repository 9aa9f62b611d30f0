import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeDatabase } from "@/e2e/support/described-database";
import { BASELINE, earlierDatabase, emptyDatabase, recordsOf, refusalOf } from "@/e2e/support/migrated-databases";
import { runSql } from "@/e2e/support/run-sql";
import { tempFolder } from "@/e2e/support/temp-folder";
import { TABLES } from "@/lib/generated/tables";
import { migrate } from "@/scripts/database";
import { requireMigrated } from "@/scripts/require-migrated";

// A database of the last version before the baseline is adopted, with what it holds.

test("adopting a database of the last version before the baseline only records the baseline", async () => {
  const url = await earlierDatabase();
  const before = [await describeDatabase(url), await rowsOf(url)];
  const records = await recordsOf(url);
  expect(records).toHaveLength(5);
  const folder = folderOf([BASELINE]);
  await migrate(url, { folder });
  expect([await describeDatabase(url), await rowsOf(url)]).toEqual(before);
  expect(await recordsOf(url)).toEqual([
    ...records,
    expect.objectContaining({ migration_name: BASELINE, is_done: true }),
  ]);
  expect(await requireMigrated(url, folder)).toBeNull();
  const other = await emptyDatabase();
  await migrate(other, { folder });
  expect(await describeDatabase(other)).toEqual(before[0]);
});

test("a database that an earlier baseline adopted is adopted as well", async () => {
  const url = await earlierDatabase();
  const before = [await describeDatabase(url), await rowsOf(url)];
  await runSql(
    url,
    "insert into _prisma_migrations (id, checksum, finished_at, migration_name) values ('e', 'c', now(), '20261101000000_earlier')",
  );
  const folder = folderOf([BASELINE]);
  await migrate(url, { folder });
  expect([await describeDatabase(url), await rowsOf(url)]).toEqual(before);
  expect(await requireMigrated(url, folder)).toBeNull();
});

test.each([
  [
    "stopped before",
    "delete from _prisma_migrations where migration_name > '20261130'",
    "stopped at 20261129030000_refused_bodies",
  ],
  [
    "has other texts",
    "update _prisma_migrations set checksum = 'c' where migration_name ~ 'notices'",
    "stopped at 20261130010000_measured_values",
  ],
  ["has no records", "delete from _prisma_migrations", "holds tables without records of migrations"],
])("a database that %s is refused unchanged, naming the commit that can migrate it", async (_, change, reason) => {
  const url = await earlierDatabase();
  await runSql(url, change);
  const before = [await describeDatabase(url), await recordsOf(url)];
  const refusal = await refusalOf(migrate(url));
  expect(refusal).toMatch(
    /^[^.]+; .*"npm run migrate" of commit 1dc73e58c1a64c83105547cf046d075ce5a33560 is the last that can bring (?:it|them) up\.$/,
  );
  expect(refusal).toContain(reason);
  expect([await describeDatabase(url), await recordsOf(url)]).toEqual(before);
});

/** The rows of each table, of which none is empty. */
async function rowsOf(url: string) {
  const selects = Object.values(TABLES).map(
    ({ name }) => `select '${name}' as name, (select json_agg(t order by t::text) from ${name} t) as rows`,
  );
  const tables = await runSql(url, selects.join(" union all "));
  expect(tables.filter(({ rows }) => rows === null)).toEqual([]);
  return tables;
}

/** These of the migrations alone. */
function folderOf(names: readonly string[]): string {
  const folder = tempFolder();
  for (const name of names) cpSync(`prisma/migrations/${name}`, join(folder, name), { recursive: true });
  return folder;
}
