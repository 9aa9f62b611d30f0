import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { connectionConfig, queryOnce } from "@/lib/database/connection";
import { PlainError, UnusableDatabaseError } from "@/lib/failures";
import { SECOND } from "@/lib/format/time";

const FOLDER = "prisma/migrations";
/** Prisma's own key: its commands and this one exclude each other. */
const ADVISORY_LOCK = 72_707_369;
/** A lock timeout and a deadlock: the same transaction may succeed later. */
const PASSING = new Set(["55P03", "40P01"]);
/**
 * The migrations that the baseline replaced: the last commit that has them, how many there are, and the SHA-256 of their names
 * and checksums. A database may have records from before them, which an earlier baseline replaced.
 */
const REPLACED = {
  commit: "1dc73e58c1a64c83105547cf046d075ce5a33560",
  count: 5,
  sha256: "70b236660b29bee37ed13de9e63db24694048527495c8e62e959056229b497ff",
};

/** Prisma's own table, as Prisma makes it. */
const MAKE_TABLE = `create table if not exists _prisma_migrations (
  id varchar(36) primary key not null, checksum varchar(64) not null, finished_at timestamptz,
  migration_name varchar(255) not null, logs text, rolled_back_at timestamptz,
  started_at timestamptz not null default now(), applied_steps_count integer not null default 0)`;
const RECORDS = `select migration_name as name, checksum, finished_at is not null as "isDone" from _prisma_migrations
  where rolled_back_at is null order by migration_name collate "C"`;
const TABLES = `select to_regclass('_prisma_migrations') is not null as "hasRecords", exists (select from pg_class
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname <> '_prisma_migrations') as "hasTables"`;
/** A timeout that a role or a database has would end a migration of many rows at each try. */
const LIFT_TIMEOUTS = `select set_config(name, '0', true) from pg_settings
  where name in ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout') and setting <> '0'`;

type Migration = { name: string; sql: string; checksum: string };
type RecordedMigration = { name: string; checksum: string; isDone: boolean };

/** How the migrations of this version and the records of a database differ, each by their names. */
export type Difference = {
  /** Of this version, not applied. */
  missing: string[];
  /** Of this version, applied with another text. */
  changed: string[];
  /** Of this version, begun by another tool and not finished. */
  failed: string[];
  /** Of a newer version. */
  newer: string[];
};

export type MigrateOptions = {
  folder?: string;
  /** Takes what there is to tell while it runs. */
  say?(line: string): void;
  /** How often a migration is tried whose lock is not free, and the pause between the tries (ms). */
  tries?: number;
  pause?: number;
  /** How long a statement waits for a lock, and everybody who comes after it behind it (ms). */
  lockTimeout?: number;
};

/** The migrations of this version, in their order. The first is the baseline. */
export function listMigrations(folder = FOLDER): Migration[] {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names
    .map(({ name }) => {
      const sql = readFileSync(`${folder}/${name}/migration.sql`, "utf8");
      return { name, sql, checksum: sha256(sql) };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export async function compareMigrations(url: string, folder?: string): Promise<Difference> {
  const wanted = listMigrations(folder);
  const recorded = await queryOnce<RecordedMigration>(url, RECORDS).catch((error: { code?: string }) => {
    // A new database has no such table.
    if (error.code === "42P01") return [];
    throw error;
  });
  const of = ({ name }: { name: string }) => recorded.filter((record) => record.name === name);
  const names = (migrations: readonly { name: string }[]) => migrations.map(({ name }) => name);
  return {
    missing: names(wanted.filter((migration) => !of(migration).some(({ isDone }) => isDone))),
    changed: names(wanted.filter((one) => of(one).some(({ isDone, checksum }) => isDone && checksum !== one.checksum))),
    failed: names(wanted.filter((migration) => of(migration).some(({ isDone }) => !isDone))),
    // Earlier names are those that the baseline replaced.
    newer: names(recorded.filter(({ name }) => name > (wanted[0]?.name ?? "") && !names(wanted).includes(name))),
  };
}

/**
 * Applies the migrations that a database lacks, each in a transaction that holds its record as well: it may be killed at any
 * moment and run again. @throws PlainError
 */
export async function applyMigrations(url: string, options: MigrateOptions): Promise<void> {
  const { folder, say = () => {}, tries = 5, pause = 2 * SECOND, lockTimeout = SECOND } = options;
  const { missing, changed } = await compareMigrations(url, folder);
  if (changed[0]) throw new UnusableDatabaseError(`${changed[0]} stands in the database with another text.`);
  for (const [index, migration] of listMigrations(folder).entries()) {
    const { name } = migration;
    if (!missing.includes(name)) continue;
    say(`${name} …`);
    const plan = (client: pg.Client) => planScript(client, migration, index === 0);
    for (let attempt = 1; ; attempt++) {
      // The first try nearly always succeeds, so only further ones look for a holder.
      const holder = await applyOnce(url, name, plan, lockTimeout, attempt > 1);
      if (holder === null) break;
      if (attempt === tries) {
        throw new PlainError(
          `${name}: a lock was not free in ${tries} tries, and nothing was changed; it is held by ${holder}.`,
        );
      }
      say(`${name}: a lock is held by ${holder}.`);
      await wait(pause);
    }
  }
}

/** Null: it is applied. Else who holds a lock that was not free. */
async function applyOnce(
  url: string,
  name: string,
  plan: (client: pg.Client) => Promise<string>,
  lockTimeout: number,
  looksForHolder: boolean,
): Promise<string | null> {
  const client = new pg.Client({ ...connectionConfig(url), application_name: "console-api migrate" });
  // A waiting statement gets the error. Between statements it must not end the process.
  client.on("error", () => {});
  let holder = "somebody";
  let looking: NodeJS.Timeout | undefined;
  try {
    await client.connect();
    await client.query(`begin; set local lock_timeout = ${lockTimeout}; ${LIFT_TIMEOUTS}`);
    const { rows } = await client.query("select pg_backend_pid() as pid");
    const look = async () => {
      holder = (await findHolder(url, rows[0].pid)) ?? holder;
    };
    if (looksForHolder) looking = setInterval(look, lockTimeout / 3);
    await client.query("select pg_advisory_xact_lock($1)", [ADVISORY_LOCK]);
    // In one message: however slow or dead this process is, it holds no lock.
    await client.query(`${await plan(client)}\n;\ncommit`);
    return null;
  } catch (error) {
    const { code = "", message } = error as { code?: string; message: string };
    if (PASSING.has(code)) return holder;
    if (error instanceof PlainError) throw error;
    throw new PlainError(`${name} could not be applied, and nothing of it was: ${message}.`);
  } finally {
    clearInterval(looking);
    await client.end().catch(() => {});
  }
}

/** The script that applies a migration; an empty one when another run was faster. @throws UnusableDatabaseError */
async function planScript(client: pg.Client, { name, sql, checksum }: Migration, isBaseline: boolean): Promise<string> {
  const { hasRecords, hasTables } = (await client.query(TABLES)).rows[0];
  const recorded: RecordedMigration[] = hasRecords ? (await client.query(RECORDS)).rows : [];
  const done = recorded.filter(({ isDone }) => isDone);
  if (done.some((record) => record.name === name)) return "";
  const newest = done.slice(-REPLACED.count).map((record) => `${record.name} ${record.checksum}\n`);
  const isReplaced = isBaseline && sha256(newest.join("")) === REPLACED.sha256;
  if (isBaseline && hasTables && !isReplaced) {
    const last = done.at(-1)?.name;
    const bringsUp = `"npm run migrate" of commit ${REPLACED.commit} is the last that can bring`;
    throw new UnusableDatabaseError(
      last
        ? `The database stopped at ${last}; ${bringsUp} it up.`
        : `The database holds tables without records of migrations; if they are an earlier console's, ${bringsUp} them up.`,
    );
  }
  return `${MAKE_TABLE};
    ${isReplaced ? "" : sql}
    ;
    update _prisma_migrations set rolled_back_at = now()
      where migration_name = '${name}' and finished_at is null and rolled_back_at is null;
    insert into _prisma_migrations (id, checksum, finished_at, migration_name, started_at, applied_steps_count)
      values (gen_random_uuid()::text, '${checksum}', clock_timestamp(), '${name}', now(), 1)`;
}

/** Who keeps a process of PostgreSQL waiting. Null: it does not wait, or nobody can say. */
async function findHolder(url: string, pid: number): Promise<string | null> {
  const blocking = `select pid, coalesce(nullif(application_name, ''), 'unnamed') as program,
      to_char(xact_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') as since
    from pg_stat_activity where pid = any(pg_blocking_pids(${pid})) order by xact_start limit 1`;
  const [row] = await queryOnce<Record<"pid" | "program" | "since", string>>(url, blocking).catch(() => []);
  return row ? `process ${row.pid} of PostgreSQL (${row.program}, in a transaction since ${row.since})` : null;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
