import pg from "pg";
import { PlainError } from "@/lib/failures";
import { SECOND } from "@/lib/format/time";
import type { Migration } from "../migrations";
import type { MigrationSession } from "./session";
import { splitStatements } from "./statements";
import type { Step } from "./step";
import { estimateRows, hasRows, isPartitioned } from "./tables";

// The online way of "daily_partitions". The table that holds the rows becomes one partition for everything until a midnight
// (UTC) in some days, as it is: no row is copied. Partitions of a day each follow it.
// A constraint says first that every row lies before that midnight. While it stands alone, it refuses later rows.

type Table = { table: string; owner: string; foreignKey: string };

/** In the order in which the app locks them: the owner first. */
const TABLES: readonly Table[] = [
  { table: "telemetry_samples", owner: "servers", foreignKey: "telemetry_samples_server_id_fkey" },
  { table: "metric_samples", owner: "game_services", foreignKey: "metric_samples_service_id_fkey" },
];

/** How many days ahead the midnight lies, and how many it must still be ahead when the constraint is found again. */
const DAYS_AHEAD = 8;
const LEAST_DAYS_AHEAD = 4;
/** The days after it whose partitions are made at once, as the hourly sweep makes them. */
const DAYS_AFTER = 4;
/** How often a later midnight is tried when rows lie in the future. */
const ATTEMPTS = 3;
const CHECK_VIOLATION = "23514";
/** How long it is tried to take the constraint back (ms). */
const PATIENCE_AT_STOP = 20 * SECOND;

const constraintOf = (table: string) => `${table}_before_midnight`;
const TEXT = "'YYYY-MM-DD HH24:MI:SS+00'";
const MIDNIGHT = `to_char(date_trunc('day', now(), 'UTC') at time zone 'UTC' + interval '${DAYS_AHEAD} days', ${TEXT})`;

/** Whether the tables hold rows, or this way has been begun. */
export async function wantsPartitions(client: pg.ClientBase): Promise<boolean> {
  for (const { table } of TABLES) {
    if ((await isPartitioned(client, table)) || (await hasRows(client, table))) return true;
    if (await findBound(client, table)) return true;
  }
  return false;
}

export function partitionSteps(migration: Migration): readonly Step[] {
  return TABLES.flatMap((one): Step[] => {
    const isSwapped = (client: pg.ClientBase) => isPartitioned(client, one.table);
    return [
      {
        what: `${one.table}: adding the bound`,
        isDone: async (client) => (await isSwapped(client)) || (await findBound(client, one.table))?.isFresh === true,
        async quick(client) {
          const { rows } = await client.query(`select ${MIDNIGHT} as midnight`);
          return setBound(one.table, rows[0].midnight);
        },
      },
      {
        what: `${one.table}: validating the bound`,
        isDone: async (client) => (await isSwapped(client)) || (await findBound(client, one.table))?.isValid === true,
        long: (session) => validate(session, one.table),
      },
      {
        what: `${one.table}: making it a partition of a new table`,
        isDone: isSwapped,
        quick: (client) => swap(client, one, migration),
      },
    ];
  });
}

export async function planOfPartitions(client: pg.ClientBase): Promise<string[]> {
  const lines: string[] = [];
  for (const { table, owner } of TABLES) {
    if (await isPartitioned(client, table)) continue;
    lines.push(
      `reads the ${await estimateRows(client, table)} rows of ${table} once and writes none, while they are used`,
      `locks ${owner}, then ${table}, for a moment`,
    );
    const bound = await findBound(client, table);
    if (bound) {
      lines.push(
        `${constraintOf(table)} stands alone, because a migration was cut off: from ${bound.midnight} on it refuses rows of ${table}. Migrate again before that`,
      );
    }
  }
  return lines;
}

/** Drops the constraints of tables that have not become partitions. */
export async function takeBackBounds(session: MigrationSession): Promise<void> {
  for (const { table } of TABLES) {
    const isAlone = async () =>
      !(await isPartitioned(session.client, table)) && (await findBound(session.client, table)) !== null;
    if (!(await isAlone())) continue;
    await session.quick(
      `${table}: the constraint ${constraintOf(table)}`,
      async () => ((await isAlone()) ? `alter table ${table} drop constraint ${constraintOf(table)}` : null),
      PATIENCE_AT_STOP,
    );
  }
}

/** The constraint of a table, if it stands. `isFresh`: its midnight is far enough ahead to go on with it. */
async function findBound(
  client: pg.ClientBase,
  table: string,
): Promise<{ midnight: string; isFresh: boolean; isValid: boolean } | null> {
  const { rows } = await client.query(
    `select to_char(until at time zone 'UTC', ${TEXT}) as midnight, "isValid",
       until > now() + interval '${LEAST_DAYS_AHEAD} days' as "isFresh"
     from (select substring(pg_get_constraintdef(oid) from '''([^'']+)''')::timestamptz as until, convalidated as "isValid"
       from pg_constraint where conrelid = to_regclass($1) and conname = $2) bound`,
    [table, constraintOf(table)],
  );
  return rows[0] ?? null;
}

function setBound(table: string, midnight: string): string {
  return `alter table ${table} drop constraint if exists ${constraintOf(table)};
    alter table ${table} add constraint ${constraintOf(table)} check (ts < ${pg.escapeLiteral(midnight)}) not valid`;
}

/** Reads the whole table. Rows in the future, which other programs may have written, move the midnight behind them. */
async function validate(session: MigrationSession, table: string): Promise<void> {
  const { client } = session;
  for (let attempt = 1; ; attempt++) {
    try {
      return await session.long(table, `alter table ${table} validate constraint ${constraintOf(table)}`);
    } catch (error) {
      if ((error as { code?: string }).code !== CHECK_VIOLATION) throw error;
    }
    const latest = `(select ts from ${table} order by ts desc limit 1)`;
    if (attempt === ATTEMPTS) {
      throw new PlainError(`${table}: rows lie too far in the future. See: select max(ts) from ${table}`);
    }
    // The constraint would refuse rows that are as late as those that are there.
    await takeBackBounds(session);
    const next = `select to_char(date_trunc('day', ${latest}, 'UTC') at time zone 'UTC' + interval '1 day', ${TEXT}) as midnight`;
    const { rows } = await session.read(table, () => client.query(next));
    session.say(`${table}: rows lie in the future, so its days begin on ${rows[0].midnight}.`);
    await session.quick(table, async () => setBound(table, rows[0].midnight));
  }
}

/** Puts a partitioned table in the place of a table, which becomes its first partition. Reads no row. */
async function swap(client: pg.ClientBase, { table, owner, foreignKey }: Table, migration: Migration): Promise<string> {
  const statements = splitStatements(migration.sql);
  const ofFile = (pattern: RegExp) => statements.filter((statement) => pattern.test(statement));
  const triggers = ofFile(new RegExp(`^CREATE TRIGGER "\\w+" AFTER \\w+ ON "${table}"`));
  const midnight = pg.escapeLiteral((await findBound(client, table))?.midnight ?? "");
  const { rows } = await client.query("select to_regproc('make_day_partition') is not null as is");
  const before = `${table}_before`;
  // Attaching changes the triggers of the foreign key on the owner: the app locks it first, so it is locked first.
  return [
    `lock table ${owner}, ${table} in access exclusive mode`,
    ...(rows[0].is ? [] : ofFile(/^CREATE FUNCTION/)),
    ...triggers.map((trigger) => `drop trigger if exists ${/"\w+"/.exec(trigger)?.[0]} on ${table}`),
    ...ofFile(new RegExp(`^ALTER TABLE "${table}" RENAME TO`)),
    `alter index ${table}_pkey rename to ${before}_pkey`,
    `alter table ${before} rename constraint ${foreignKey} to ${foreignKey.replace(table, before)}`,
    ...ofFile(new RegExp(`^CREATE TABLE "${table}" \\(`)),
    // Copied along with the others, it would refuse rows from the midnight on.
    `alter table ${table} drop constraint ${constraintOf(table)}`,
    ...ofFile(new RegExp(`^ALTER TABLE "${table}" ADD CONSTRAINT`)),
    `alter table ${table} attach partition ${before} for values from (minvalue) to (${midnight})`,
    `alter table ${before} drop constraint ${constraintOf(table)}`,
    // Its rows are deleted in small numbers, as those of the DEFAULT partition.
    `alter table ${before} set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000)`,
    ...ofFile(new RegExp(`^CREATE TABLE "${table}_default"`)),
    `select make_day_partition('${table}', ${midnight}::timestamptz + n * interval '24 hours', 0) from generate_series(0, ${DAYS_AFTER - 1}) n`,
    ...triggers,
  ].join(";\n");
}
