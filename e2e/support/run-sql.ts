import pg from "pg";

/** Runs SQL on a separate connection, outside the product's own clients, and returns the rows. */
export async function runSql<Row extends pg.QueryResultRow>(
  url: string,
  sql: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Writes what a test begins with, of any size: with SQL on the database of this process, and without the deadlines of the
 * product's own clients. The values need a cast where their type does not follow.
 */
export async function insert(strings: TemplateStringsArray, ...values: unknown[]): Promise<void> {
  const [first = "", ...rest] = strings;
  const sql = first + rest.map((text, index) => `$${index + 1}${text}`).join("");
  await runSql(String(process.env.DATABASE_URL), sql, values);
}

export type Sql = (text: string) => Promise<Record<string, unknown>[]>;

/**
 * As `runSql`, for tests that ask hundreds of times: on a connection that stays, and anew where the server has ended it.
 * No transaction may stay open.
 */
export function openSql(url: string): { sql: Sql; close(): Promise<void> } {
  const pool = new pg.Pool({ connectionString: url, idleTimeoutMillis: 0 });
  // The next statement connects anew.
  pool.on("error", () => {});
  return { sql: async (text) => (await pool.query(text)).rows ?? [], close: () => pool.end() };
}

/** SQL that makes the partitions of days so long ago, by UTC. */
export const partitionsOf = (table: string, daysAgo: readonly number[]) => `do $$ declare day timestamptz; begin
    for day in select date_trunc('day', now(), 'UTC') - n * interval '24 hours' from unnest(array[${daysAgo}]) n loop
      execute format('create table if not exists ${table}_%s partition of ${table} for values from (%L) to (%L)',
        to_char(day at time zone 'UTC', 'YYYYMMDD'), day, day + interval '24 hours');
    end loop;
  end $$;`;
