import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, type TestContext, test } from "vitest";
import { describeDatabase } from "@/e2e/support/described-database";
import {
  BASELINE,
  emptyDatabase,
  MIGRATIONS,
  migratedDatabase,
  recordsOf,
  refusalOf,
} from "@/e2e/support/migrated-databases";
import { runSql } from "@/e2e/support/run-sql";
import { tempFolder } from "@/e2e/support/temp-folder";
import { TABLES } from "@/lib/generated/tables";
import { migrate } from "@/scripts/database";
import { requireMigrated } from "@/scripts/require-migrated";

const NEXT = "29990101000000_next";

function needsPostgres({ task, skip }: TestContext): void {
  if (process.env.E2E_POSTGRES_URL) return;
  task.meta.skipped = "the embedded database has one session, so nobody else can hold a lock in it";
  skip();
}

test("a new database gets every migration once, and a second run changes nothing", async () => {
  const url = await emptyDatabase();
  await migrate(url);
  const before = [await describeDatabase(url), await recordsOf(url)];
  expect(before[1]).toEqual(
    MIGRATIONS.map((name) => ({
      ...{ migration_name: name, checksum: expect.stringMatching(/^[0-9a-f]{64}$/), is_done: true, steps: 1 },
    })),
  );
  await migrate(url);
  expect([await describeDatabase(url), await recordsOf(url)]).toEqual(before);
  expect(await requireMigrated(url)).toBeNull();
});

test("the tables have exactly the columns, types and nullability of schema.prisma", async () => {
  const columns = await runSql<{ column: string }>(
    await migratedDatabase(),
    `select relname || '.' || attname || ' ' || format_type(atttypid, atttypmod) || case when attnotnull then '' else ' null' end as column
     from pg_class join pg_attribute on attrelid = pg_class.oid
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and attnum > 0 and not attisdropped
       and relname <> '_prisma_migrations'`,
  );
  expect(columns.map(({ column }) => column).sort()).toEqual(columnsOfSchema().sort());
});

test("two runs at once apply each migration once", async () => {
  const url = await emptyDatabase();
  const folder = folderWith({ [NEXT]: "create table next (id int)" });
  // Patient: on a busy machine the baseline may take longer than a lock is waited for.
  await Promise.all([1, 2].map(() => migrate(url, { folder, tries: 100, pause: 100 })));
  expect((await recordsOf(url)).map(({ migration_name }) => migration_name)).toEqual([...MIGRATIONS, NEXT]);
});

test("a lock that stays held ends the run after its tries, naming its holder", async (context) => {
  needsPostgres(context);
  const url = await migratedDatabase();
  const folder = folderWith({ [NEXT]: "create table next (id int); alter table servers add next int" });
  const holder = new pg.Client({ connectionString: url, application_name: "a-report" });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query("begin");
  await holder.query("select count(*) from servers");
  const said: string[] = [];
  const refusal = await refusalOf(
    migrate(url, { folder, tries: 3, pause: 0, lockTimeout: 300, say: (line) => said.push(line) }),
  );
  const { rows } = await holder.query("select pg_backend_pid() as pid");
  expect(refusal).toMatch(
    new RegExp(
      `^${NEXT}: a lock was not free in 3 tries, and nothing was changed; it is held by process ${rows[0].pid} of PostgreSQL \\(a-report, in a transaction since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC\\)\\.$`,
    ),
  );
  expect(said).toHaveLength(3);
  expect(await runSql(url, "select to_regclass('next') as made")).toEqual([{ made: null }]);
  await holder.query("rollback");
  await migrate(url, { folder });
  expect(await requireMigrated(url, folder)).toBeNull();
});

test("the statement timeout of a role or a database does not end a migration", async (context) => {
  needsPostgres(context);
  const url = await migratedDatabase();
  const name = new URL(url).pathname.slice(1);
  await runSql(url, `alter database ${name} set statement_timeout = 500`);
  const folder = folderWith({ [NEXT]: "select pg_sleep(0.8); create table next (id int)" });
  await migrate(url, { folder });
  expect(await requireMigrated(url, folder)).toBeNull();
});

test("a failed migration is rolled back whole and tried again by the next run", async () => {
  const url = await migratedDatabase();
  const folder = folderWith({ [NEXT]: "create table next (id int); insert into next values ('x')" });
  expect(await refusalOf(migrate(url, { folder }))).toBe(
    `${NEXT} could not be applied, and nothing of it was: invalid input syntax for type integer: "x".`,
  );
  expect(await runSql(url, "select to_regclass('next') as made")).toEqual([{ made: null }]);
  expect(await recordsOf(url)).toHaveLength(MIGRATIONS.length);
  // So does one that Prisma's own command recorded as begun.
  await runSql(url, "insert into _prisma_migrations (id, checksum, migration_name) values ('n', 'c', $1)", [NEXT]);
  writeFileSync(join(folder, NEXT, "migration.sql"), "create table next (id int)");
  await migrate(url, { folder });
  expect(await requireMigrated(url, folder)).toBeNull();
});

test("a database that is not up to date refuses the start with the command", async () => {
  const url = await migratedDatabase();
  const folder = folderWith({ [NEXT]: "create table next (id int)" });
  const refused = 'The database is not up to date; run "npm run migrate":';
  expect(await refusalOf(requireMigrated(url, folder))).toBe(`${refused} it lacks 1, from ${NEXT} on.`);
  expect(await refusalOf(requireMigrated(await emptyDatabase()))).toBe(
    `${refused} it lacks ${MIGRATIONS.length}, from ${BASELINE} on.`,
  );
  await runSql(url, "insert into _prisma_migrations (id, checksum, migration_name) values ('n', 'c', $1)", [NEXT]);
  expect(await refusalOf(requireMigrated(url, folder))).toBe(`${refused} ${NEXT} has failed.`);
  await runSql(url, "update _prisma_migrations set checksum = 'c', finished_at = now()");
  expect(await refusalOf(requireMigrated(url))).toBe(`${refused} ${BASELINE} stands in it with another text.`);
  expect(await refusalOf(migrate(url))).toBe(`${BASELINE} stands in the database with another text.`);
});

test("a database that is ahead is served with a warning, and migrate changes nothing", async () => {
  const url = await migratedDatabase();
  await migrate(url, { folder: folderWith({ [NEXT]: "alter table servers add next int default 1" }) });
  const before = [await describeDatabase(url), await recordsOf(url)];
  expect(await requireMigrated(url)).toMatch(
    new RegExp(`^The database is ahead of this version, up to ${NEXT}, and this version serves from it; [^.]*\\.$`),
  );
  await migrate(url);
  expect([await describeDatabase(url), await recordsOf(url)]).toEqual(before);
});

/** A copy of the migrations, and these as well. */
function folderWith(migrations: Record<string, string>): string {
  const folder = tempFolder();
  cpSync("prisma/migrations", folder, { recursive: true });
  for (const [name, sql] of Object.entries(migrations)) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "migration.sql"), sql);
  }
  return folder;
}

/** What schema.prisma says about each column, in the words of PostgreSQL. */
function columnsOfSchema(): string[] {
  const schema = readFileSync("prisma/schema.prisma", "utf8");
  const enums = new Map(
    [...schema.matchAll(/^enum (\w+) \{[^}]*@@map\("(\w+)"\)/gm)].map(([, name, mapped]) => [name, mapped]),
  );
  const types: Record<string, string> = {
    Int: "integer",
    BigInt: "bigint",
    Float: "double precision",
    String: "text",
    Boolean: "boolean",
    Json: "jsonb",
    "String Uuid": "uuid",
    "Json Json": "json",
    "Int SmallInt": "smallint",
    "Float Real": "real",
    "DateTime Timestamptz(0)": "timestamp(0) with time zone",
    "DateTime Timestamptz(3)": "timestamp(3) with time zone",
  };
  return Object.entries(TABLES).flatMap(([model, { name: table, columns }]) => {
    const [, body = ""] = new RegExp(`^model ${model} \\{([\\s\\S]*?)^\\}`, "m").exec(schema) ?? [];
    return Object.entries(columns as Record<string, { name: string }>).map(([field, { name }]) => {
      const [, type = "", mark, native] =
        new RegExp(`^  ${field}\\s+(\\w+)(\\?|\\[\\])?(?:.*@db\\.([\\w()]+))?`, "m").exec(body) ?? [];
      const base = enums.get(type) ?? types[native ? `${type} ${native}` : type];
      // Prisma writes lists without NOT NULL.
      return `${table}.${name} ${base}${mark === "[]" ? "[]" : ""}${mark ? " null" : ""}`;
    });
  });
}
