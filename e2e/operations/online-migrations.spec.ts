import { command } from "@/e2e/support/command";
import { startConsole } from "@/e2e/support/console-server";
import { describeDatabase } from "@/e2e/support/described-database";
import { addRows, FIRST_VERSION, migrateUntil, SERVERS, unsettled, withDatabase } from "@/e2e/support/earlier-database";
import { expect, test } from "@/e2e/support/fixtures";
import { insertCaller } from "@/e2e/support/insert-caller";
import { runSql } from "@/e2e/support/run-sql";
import { createTestDatabase } from "@/e2e/support/test-database";
import { migrate, requireMigrated } from "@/scripts/database";
import { ONLINE_WAYS } from "@/scripts/migrate/online-ways";
import { listMigrations } from "@/scripts/migrations";

const NAMES = listMigrations().map(({ name }) => name);
const LAST = NAMES.at(-1) ?? "";
const PARTITIONS = "20261122110000_daily_partitions";

/** The rows, to be compared by `toMatchObject`: later migrations add columns. */
async function readRows(url: string) {
  const read = (sql: string) => runSql(url, sql);
  return {
    samples: await read("select * from telemetry_samples order by server_id, ts"),
    intervals: await read("select * from metric_samples order by ts"),
    sessions: await read("select token_hash, account_id, expires_at from sessions order by 1"),
  };
}

/** What the two ways must have in common: all but the partitions of single days and the one before them. */
async function describeSchema(url: string) {
  const described = await describeDatabase(url);
  const isOfDay = (row: { relname?: string }) => /_samples_(?:\d{8}|before)/.test(row.relname ?? "");
  return Object.fromEntries(
    Object.entries(described).map(([what, rows]) => [what, rows.filter((row) => !isOfDay(row))]),
  );
}

test("from every earlier version, with rows, migrate makes the schema that the files make, and keeps every row", async () => {
  // An embedded database takes seconds to make. The first version goes through every step.
  const earlier = NAMES.filter((name) => name >= FIRST_VERSION && name !== LAST);
  await withDatabase(LAST, async (official) => {
    const wanted = await describeSchema(official.url);
    expect(wanted.columns?.length).toBeGreaterThan(50);
    for (const last of process.env.E2E_POSTGRES_URL ? earlier : earlier.slice(0, 1)) {
      await withDatabase(last, async ({ url }) => {
        await addRows(url);
        const before = await readRows(url);
        await migrate(url);
        expect(await describeSchema(url), last).toEqual(wanted);
        expect(await readRows(url), last).toMatchObject(before);
        const [server] = await runSql(
          url,
          `select count(latest_sample)::int as filled, count(*)::int as all,
             bool_and(latest_sample_at = (select max(ts) from telemetry_samples where server_id = servers.id)) as right
           from servers`,
        );
        expect(server, last).toEqual({ filled: SERVERS - 1, all: SERVERS, right: true });
        expect(await runSql(url, "select count(distinct public_id)::int as ids from sessions")).toEqual([
          { ids: 12_000 },
        ]);
      });
    }
  });
});

test("a file without an online way writes no row that stands and rewrites no table", {
  tag: "@one-engine",
}, async () => {
  await withDatabase(FIRST_VERSION, async ({ url }) => {
    for (const { name, sql } of listMigrations().filter((migration) => migration.name > FIRST_VERSION)) {
      await addRowToEachTable(url);
      const before = await readVersions(url);
      await runSql(url, sql);
      if (Object.hasOwn(ONLINE_WAYS, name)) continue;
      expect(await readVersions(url), name).toMatchObject(before);
    }
  });
});

/**
 * A row in each table that has none, with the first of the words that a column may hold. What it refers to need not be
 * there.
 */
async function addRowToEachTable(url: string): Promise<void> {
  await runSql(
    url,
    `set session_replication_role = replica;
     do $$
     declare
       target record;
       is_empty boolean;
     begin
       for target in
         select c.oid::regclass as name, string_agg(quote_ident(a.attname), ',') as columns, string_agg(case
           when a.attname ~ 'hash$' then quote_literal(repeat('a', 64))
           when t.typcategory in ('N', 'B') then '1::int::' || t.typname
           when t.typcategory = 'D' then 'now()'
           when t.typcategory = 'E' then (select quote_literal(min(enumlabel)) from pg_enum where enumtypid = t.oid)
           when t.typname = 'uuid' then 'gen_random_uuid()'
           when t.typname ~ '^json' then $j$'{}'$j$
           else coalesce((select quote_literal(first.word[1]) from pg_constraint k,
               regexp_match(pg_get_constraintdef(k.oid), 'ANY \\(ARRAY\\[''([^'']+)''') as first (word)
             where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum] and first.word is not null
             limit 1), quote_literal('a')) end, ',') as given
         from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
         where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
           and a.attnum > 0 and a.attnotnull and not a.atthasdef and a.attidentity = '' and c.relname <> '_prisma_migrations'
         group by c.oid
       loop
         execute format('select not exists (select from %s)', target.name) into is_empty;
         if is_empty then execute format('insert into %s (%s) values (%s)', target.name, target.columns, target.given); end if;
       end loop;
     end $$`,
  );
}

/** The file of each table, and the transactions that wrote its rows. */
async function readVersions(url: string): Promise<Record<string, unknown>> {
  const tables = await runSql<{ name: string; file: string }>(
    url,
    `select relname as name, pg_relation_filenode(oid)::text as file from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> '_prisma_migrations'`,
  );
  const versions: Record<string, unknown> = {};
  for (const { name, file } of tables) {
    const [rows] = await runSql(url, `select array_agg(xmin::text order by ctid) as written from ${name}`);
    versions[name] = { file, ...rows };
  }
  return versions;
}

test("rows stay where they are, in one partition until a midnight in eight days; days follow it, and rows of any time are taken", {
  tag: "@one-engine",
}, async () => {
  await withDatabase(FIRST_VERSION, async ({ url }) => {
    await addRows(url);
    const [before] = await runSql(url, "select pg_relation_filenode('telemetry_samples') as file");
    await migrate(url);
    expect(await runSql(url, "select pg_relation_filenode('telemetry_samples_before') as file")).toEqual([before]);
    for (const table of ["telemetry_samples", "metric_samples"]) {
      expect(
        await runSql(
          url,
          `select partition_before_end('${table}') = date_trunc('day', now(), 'UTC') + interval '192 hours' as "isInEightDays",
             (select array_agg(make_day_partition('${table}', date_trunc('day', now(), 'UTC') + n * interval '24 hours', 0))
              from generate_series(0, 12) n) as made`,
        ),
      ).toEqual([{ isInEightDays: true, made: [...Array(12).fill("exists"), "made"] }]);
    }
    for (const days of [-400, -1, 0, 7, 8, 9, 20, 400]) {
      await runSql(
        url,
        "insert into telemetry_samples (server_id, ts) values (1, now() + $1::int * interval '24 hours' + interval '1 s')",
        [days],
      );
    }
  });
});

test("rows that another program wrote for the future move the midnight behind them", {
  tag: "@one-engine",
}, async () => {
  await withDatabase(FIRST_VERSION, async ({ url }) => {
    await addRows(url);
    await runSql(url, "insert into telemetry_samples (server_id, ts) values (1, '2071-03-05T07:08:09Z')");
    const before = await readRows(url);
    await migrate(url);
    expect(await readRows(url)).toMatchObject(before);
    expect(await runSql(url, "select partition_before_end('telemetry_samples') as until")).toEqual([
      { until: new Date("2071-03-06T00:00:00Z") },
    ]);
  });
});

test("migrate goes on from a daily_partitions that failed, and first makes it no obstacle for the version that serves", {
  tag: "@one-engine",
}, async () => {
  await withDatabase(FIRST_VERSION, async ({ url }) => {
    await addRows(url);
    await addFailed(url, PARTITIONS);
    await expect(migrateUntil(url, "adding the bound")).rejects.toThrow();
    expect(await unsettled(url)).toEqual([]);
    await migrate(url);
    expect(await requireMigrated(url)).toBeNull();
  });
});

test("--resolve records a migration that was applied but not recorded, and lists what is missing of one that is there in part", {
  tag: "@one-engine",
}, async () => {
  const name = "20261122150000_edges";
  await withDatabase(name, async ({ url }) => {
    await runSql(url, "update _prisma_migrations set finished_at = null where migration_name = $1", [name]);
    const run = (...args: string[]) => command(["migrate", ...args], { DATABASE_URL: url });
    const stopped = await run();
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toContain(`${name} has failed before, and what it makes is there`);
    await runSql(url, "drop index hostname_claims_service_id_idx");
    const inPart = await run("--resolve");
    expect(inPart.code).toBe(1);
    expect(inPart.stderr).toMatch(/CREATE INDEX "hostname_claims_service_id_idx" ON .*;\n$/);
    expect(inPart.stderr.match(/CREATE/g)).toHaveLength(1);
    await runSql(url, `CREATE INDEX "hostname_claims_service_id_idx" ON "hostname_claims"("service_id")`);
    expect((await run("--resolve")).stdout).toBe(`${name} is recorded as applied: all that it makes is there.\n`);
    expect(await run()).toMatchObject({ code: 0, stdout: "The database is up to date.\n" });
  });
  await withDatabase("20261122140000_account_time_zone", async ({ url }) => {
    await addFailed(url, name);
    const { stdout } = await command(["migrate", "--resolve"], { DATABASE_URL: url });
    expect(stdout).toBe(`${name} is recorded as rolled back: migrate again.\n`);
    await migrate(url);
  });
});

test("--status names what is applied, what each pending migration will lock and write, and changes nothing", {
  tag: "@one-engine",
}, async () => {
  await withDatabase(FIRST_VERSION, async ({ url }) => {
    await addRows(url);
    const fresh = await command(["migrate", "--status"], { DATABASE_URL: url });
    expect(fresh.stdout).toMatch(/ {2}locks for a moment: tickets \(0 rows\)\n/);
    await runSql(url, "analyze");
    const before = await describeDatabase(url);
    const { stdout, code } = await command(["migrate", "--status"], { DATABASE_URL: url });
    expect(code).toBe(0);
    expect(stdout).toContain(`Applied: 5 of ${NAMES.length}.\nPending: ${PARTITIONS}\n`);
    expect(stdout).toContain("  reads the 2,290 rows of telemetry_samples once and writes none, while they are used\n");
    expect(stdout).toContain("  locks servers, then telemetry_samples, for a moment\n");
    expect(stdout).toContain("  writes the 12,000 rows of sessions, 1,000 at a time");
    expect(stdout).toContain("  writes the 230 rows of servers, 100 at a time\n");
    expect(stdout).toMatch(/edges\n {2}locks for a moment: game_services \(1 rows\), accounts \(1 rows\)\n/);
    expect(await describeDatabase(url)).toEqual(before);
    await migrate(url);
    const after = await command(["migrate", "--status"], { DATABASE_URL: url });
    expect(after.stdout).toBe(`Applied: ${NAMES.length} of ${NAMES.length}.\n`);
  });
});

test("a database that is behind, has failed or was made otherwise is refused in one sentence that names the command", {
  tag: "@one-engine",
}, async () => {
  await withDatabase(FIRST_VERSION, async ({ url }) => {
    const refusal = () => requireMigrated(url).then(String, (error: Error) => error.message);
    expect(await refusal()).toBe(
      `The database is not up to date; run "npm run migrate": it lacks ${NAMES.length - 5}, from ${PARTITIONS} on.`,
    );
    await addFailed(url, PARTITIONS);
    expect(await refusal()).toBe(`The database is not up to date; run "npm run migrate": ${PARTITIONS} has failed.`);
    await migrate(url);
    await runSql(
      url,
      `insert into _prisma_migrations (id, checksum, finished_at, migration_name) values ('n', 'c', now(), '99990101000000_newer')`,
    );
    expect(await refusal()).toBe(
      'The database is ahead of this version, up to 99990101000000_newer, and this version serves from it; "npm run migrate -- --status" of the newer version says more.',
    );
  });
});

test("migrate refuses to go through a pooler, in a sentence, and changes nothing; where nothing is to be done it says so", {
  tag: "@one-engine",
}, async () => {
  await withDatabase(FIRST_VERSION, async ({ url }) => {
    const before = await describeDatabase(url);
    const { code, stderr } = await command(["migrate"], { DATABASE_URL: `${url}?pgbouncer=true` });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^DATABASE_URL leads through a pooler \(pgbouncer=true\)\. Name PostgreSQL itself for this command; nothing was changed\.$/m,
    );
    expect(await describeDatabase(url)).toEqual(before);
    await migrate(url);
    await migrate(`${url}?pgbouncer=true`);
  });
});

test("a database of tables that are not the console's is left alone", { tag: "@one-engine" }, async () => {
  await withDatabase("", async ({ url }) => {
    await runSql(url, "create table theirs (id int)");
    await expect(migrate(url)).rejects.toThrow(
      "The database holds tables that are not this console's. Nothing was changed.",
    );
    expect(await runSql(url, "select tablename from pg_tables where schemaname = 'public'")).toEqual([
      { tablename: "theirs" },
    ]);
  });
});

test("the sweep deletes the rows of the partition before the days as they pass their time, and drops it when all have", {
  tag: "@one-engine",
}, async () => {
  await withDatabase(FIRST_VERSION, async ({ url }) => {
    await addRows(url);
    await runSql(
      url,
      `insert into telemetry_samples (server_id, ts) select 1, now() - i * interval '24 hours' from generate_series(30, 60) i;
       insert into metric_samples select 1, now() - i * interval '24 hours', 1, 1, 1, 1, 1, 1 from generate_series(7, 20) i`,
    );
    await migrate(url);
    const ages = (table: string) =>
      runSql(url, `select extract(day from now() - min(ts))::int as oldest, count(*)::int as rows from ${table}`);
    const sweep = async () => expect(await command(["sweep"], { DATABASE_URL: url })).toMatchObject({ code: 0 });
    await sweep();
    const kept = (SERVERS - 1) * 10;
    const [samples] = await ages("telemetry_samples_before");
    expect(samples?.oldest).toBeLessThanOrEqual(31);
    expect(samples?.rows - kept).toBeGreaterThanOrEqual(1);
    expect(samples?.rows - kept).toBeLessThanOrEqual(2);
    expect((await ages("metric_samples_before"))[0]?.oldest).toBeLessThanOrEqual(8);
    // As it will be in some weeks: the midnight lies further back than anything is kept.
    for (const table of ["telemetry_samples", "metric_samples"]) {
      await runSql(
        url,
        `delete from ${table};
         alter table ${table} detach partition ${table}_before;
         alter table ${table} attach partition ${table}_before for values from (minvalue) to ('2026-01-01')`,
      );
    }
    await sweep();
    expect(await runSql(url, "select relname from pg_class where relname ~ '_before'")).toEqual([]);
  });
});

test("the official command sees a database that was migrated online as its own", { tag: "@one-engine" }, async () => {
  await withDatabase(FIRST_VERSION, async ({ url }) => {
    await addRows(url);
    await migrate(url);
    const { runProgram } = await import("@/e2e/support/run-program");
    for (const args of [
      ["migrate", "status"],
      ["migrate", "deploy"],
    ]) {
      const words = ["node_modules/prisma/build/index.js", ...args];
      const { code, output, errors } = await runProgram(process.execPath, words, {
        DATABASE_URL: url,
        CHECKPOINT_DISABLE: "1",
      });
      expect(code, output + errors).toBe(0);
    }
  });
});

/** A migration that began and never came to an end, as Prisma records it. */
async function addFailed(url: string, name: string): Promise<void> {
  await runSql(
    url,
    "insert into _prisma_migrations (id, checksum, migration_name, logs) values (gen_random_uuid()::text, 'c', $1, 'deadlock detected')",
    [name],
  );
}

test("a database that a newer version has brought further starts the old one, and its migrate changes nothing", {
  tag: "@one-engine",
}, async () => {
  const database = await createTestDatabase();
  try {
    await runSql(
      database.url,
      `insert into _prisma_migrations (id, checksum, finished_at, migration_name, started_at, applied_steps_count)
       values ('newer', 'checksum', now(), '99990101000000_of_a_newer_version', now(), 1);
       alter table servers add column of_a_newer_version int default 1`,
    );
    const tables =
      "select table_name, column_name from information_schema.columns where table_schema = 'public' order by 1, 2";
    const before = await runSql(database.url, tables);
    await requireMigrated(database.url);
    expect(await command(["migrate"], { DATABASE_URL: database.url })).toMatchObject({
      code: 0,
      stdout: "The database is up to date.\n",
    });
    expect(await runSql(database.url, tables)).toEqual(before);
    const token = await insertCaller(database.url);
    const app = await startConsole(database.url);
    try {
      const headers = { Authorization: `Bearer ${token}` };
      expect((await fetch(`${app.origin}/api/v1/servers`, { headers })).status).toBe(200);
    } finally {
      await app.stop();
    }
  } finally {
    await database.stop();
  }
});
