import pg from "pg";
import { migrate } from "@/scripts/database";
import { listMigrations } from "@/scripts/migrations";
import { runSql } from "./run-sql";
import { createEmptyDatabase, type TestDatabase } from "./test-database";

/** The last migration of the first version that the upgrade knows. */
export const FIRST_VERSION = "20261121131700_token_use";

/** A database as the official `prisma migrate deploy` of an earlier version left it: with its migrations up to this one. */
export async function createEarlierDatabase(last: string): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    await client.query(`create table _prisma_migrations (id varchar(36) primary key not null, checksum varchar(64) not null,
      finished_at timestamptz, migration_name varchar(255) not null, logs text, rolled_back_at timestamptz,
      started_at timestamptz not null default now(), applied_steps_count integer not null default 0)`);
    for (const { name, sql, checksum } of listMigrations().filter(({ name }) => name <= last)) {
      await client.query(sql);
      await client.query(
        `insert into _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count)
         values (gen_random_uuid()::text, $1, now(), $2, 1)`,
        [checksum, name],
      );
    }
  } finally {
    await client.end();
  }
  return database;
}

/** How many servers `addRows` makes. The last one never reported. */
export const SERVERS = 230;

/** Rows of every table that an online way changes, of which some lie in the future. */
export async function addRows(url: string): Promise<void> {
  await runSql(
    url,
    `insert into accounts (name, email) values ('a', 'a@example.com');
     insert into servers (account_id, label, hostname) select 1, 'server ' || i, 'h' from generate_series(1, ${SERVERS}) i;
     insert into game_services (account_id, name, java_hostname, origin_host, origin_port) values (1, 'n', 'j', 'o', 1);
     insert into telemetry_samples (server_id, ts, cpu_pct, oom_kills)
       select s, now() - i * interval '7 hours', i, 0 from generate_series(1, ${SERVERS - 1}) s, generate_series(0, 9) i;
     insert into metric_samples select 1, now() - i * interval '7 hours', 1, i, 2, 3, 4, 5.5 from generate_series(0, 9) i;
     insert into sessions (token_hash, account_id, expires_at)
       select md5(i::text), 1, now() + interval '9 days' from generate_series(1, 12000) i`,
  );
}

/** A database for one task: empty, or as an earlier version left it. */
export async function withDatabase(last: string, task: (database: TestDatabase) => Promise<void>): Promise<void> {
  const database = last === "" ? await createEmptyDatabase() : await createEarlierDatabase(last);
  try {
    await task(database);
  } finally {
    await database.stop();
  }
}

/** Migrates until a step begins whose name has this in it. */
export function migrateUntil(url: string, step: string): Promise<void> {
  const stop = new AbortController();
  const say = (line: string) => {
    if (line.includes(step)) stop.abort(new Error("enough"));
  };
  return migrate(url, { say, stop: stop.signal });
}

/** Rows by which Prisma and every version of the console refuse a database. */
export function unsettled(url: string): Promise<unknown[]> {
  return runSql(
    url,
    "select migration_name from _prisma_migrations where finished_at is null and rolled_back_at is null",
  );
}
