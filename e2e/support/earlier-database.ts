import pg from "pg";
import { listMigrations } from "@/scripts/migrations";
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
