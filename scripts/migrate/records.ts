import pg from "pg";
import type { Migration } from "../migrations";

// What stands in Prisma's own table. Prisma and the versions of the console before this one refuse to work on a row that is
// neither finished nor rolled back, so none is ever written here. What a long migration has done so far stands in a row that
// is marked as rolled back: they pass over it.

/** Makes the table as Prisma does. */
export const MAKE_TABLE = `create table if not exists _prisma_migrations (
  id varchar(36) primary key not null,
  checksum varchar(64) not null,
  finished_at timestamptz,
  migration_name varchar(255) not null,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz not null default now(),
  applied_steps_count integer not null default 0
)`;
const isProgress = (name: string) =>
  `migration_name = ${literal(name)} and finished_at is null and rolled_back_at is not null and logs like '{"after"%'`;

/** How far a migration of batches is. */
export type Progress = {
  /** The last key of this round. Null: a round begins. */
  after: number | string | null;
  /** Rows of this round that were locked. Another round follows for them. */
  skipped: number;
  isDone: boolean;
};

/** Records a migration as applied: the end of the script that applies it. */
export function recordApplied({ name, checksum }: Migration): string {
  return `delete from _prisma_migrations where ${isProgress(name)};
    ${recordRolledBack(name)};
    insert into _prisma_migrations (id, checksum, finished_at, migration_name, started_at, applied_steps_count)
    values (gen_random_uuid()::text, ${literal(checksum)}, clock_timestamp(), ${literal(name)}, now(), 1)`;
}

/** Marks what stands as failed as rolled back, which it is: PostgreSQL undoes a migration that fails. */
export function recordRolledBack(name: string): string {
  return `update _prisma_migrations set rolled_back_at = now()
    where migration_name = ${literal(name)} and finished_at is null and rolled_back_at is null`;
}

export async function isRecorded(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rowCount } = await client.query(
    "select from _prisma_migrations where migration_name = $1 and finished_at is not null and rolled_back_at is null",
    [name],
  );
  return rowCount !== 0;
}

/** Null: it has not begun. */
export async function readProgress(client: pg.ClientBase, { name }: Migration): Promise<Progress | null> {
  const { rows } = await client.query(`select logs from _prisma_migrations where ${isProgress(name)}`);
  return rows[0] ? JSON.parse(rows[0].logs) : null;
}

/** Begins to note how far a migration is. */
export function beginProgress({ name, checksum }: Migration): string {
  const logs = JSON.stringify({ after: null, skipped: 0, isDone: false } satisfies Progress);
  return `insert into _prisma_migrations (id, checksum, migration_name, logs, rolled_back_at)
    values (gen_random_uuid()::text, ${literal(checksum)}, ${literal(name)}, ${literal(logs)}, now())`;
}

/** Notes it. `progress` is SQL of the JSON of a `Progress`, whose first member is "after". Answers the row's "logs". */
export function writeProgress({ name }: Migration, progress: string): string {
  return `update _prisma_migrations set logs = (${progress})::text where ${isProgress(name)} returning logs`;
}

const literal = (text: string) => pg.escapeLiteral(text);
