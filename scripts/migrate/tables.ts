import type pg from "pg";

/** Whether a table holds more than `few` rows. False when there is no such table. */
export async function hasRows(client: pg.ClientBase, table: string, few = 0): Promise<boolean> {
  if (!(await hasTable(client, table))) return false;
  const { rowCount } = await client.query(`select from ${table} offset ${few} limit 1`);
  return rowCount !== 0;
}

export async function hasTable(client: pg.ClientBase, table: string): Promise<boolean> {
  const { rows } = await client.query("select to_regclass($1) is not null as is", [table]);
  return rows[0].is;
}

export async function isPartitioned(client: pg.ClientBase, table: string): Promise<boolean> {
  const { rowCount } = await client.query("select from pg_class where oid = to_regclass($1) and relkind = 'p'", [
    table,
  ]);
  return rowCount !== 0;
}

export async function hasColumn(client: pg.ClientBase, table: string, column: string): Promise<boolean> {
  const { rowCount } = await client.query(
    "select from pg_attribute where attrelid = to_regclass($1) and attname = $2 and not attisdropped",
    [table, column],
  );
  return rowCount !== 0;
}

/** Smaller tables are counted: PostgreSQL assumes ten pages for a table without statistics. */
const COUNTED = 10_000;

/** How many rows a table holds, for people: of a large table as PostgreSQL believes, without reading it. */
export async function estimateRows(client: pg.ClientBase, table: string): Promise<string> {
  if (!(await hasTable(client, table))) return "0";
  const { rowCount } = await client.query(`select from ${table} limit ${COUNTED}`);
  if (rowCount !== null && rowCount < COUNTED) return rowCount.toLocaleString("en");
  const { rows } = await client.query(`explain (format json) select from ${table}`);
  const [{ Plan }] = rows[0]["QUERY PLAN"];
  return Number(Plan["Plan Rows"]).toLocaleString("en");
}
