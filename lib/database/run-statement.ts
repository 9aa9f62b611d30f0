import pg from "pg";
import { pool } from "./client";
import type { Statement } from "./statement";

const BIGINT_OID = 20;
/** By default `pg` returns a bigint as text, because a number may not hold it. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === BIGINT_OID ? Number : pg.types.getTypeParser(oid, format as "text"),
};

/**
 * Runs a statement outside any transaction. Only this file calls `pg` without Prisma, because Prisma made up two thirds
 * of the cost of the most frequent statements.
 */
export async function query<Values, Row>({ text, names }: Statement<Values, Row>, values: Values): Promise<Row[]> {
  const { rows } = await pool.query({ text, values: names.map((name) => values[name]), types });
  return rows;
}

/** As `query`, for a statement that only writes. Returns the number of rows written. */
export async function execute<Values>({ text, names }: Statement<Values, never>, values: Values): Promise<number> {
  const { rowCount } = await pool.query({ text, values: names.map((name) => values[name]) });
  return rowCount ?? 0;
}

/** As `query`, within one transaction. */
export type Ask = <Values, Row>(statement: Statement<Values, Row>, values: Values) => Promise<Row[]>;

/**
 * Runs statements in one transaction: all of them, or none. `work` must use `ask` alone, and may be run a second time. Like
 * `query` it goes past Prisma, for the most frequent writes.
 */
export function transaction<Result>(work: (ask: Ask) => Promise<Result>): Promise<Result> {
  return pool.transaction((send) =>
    work(async ({ text, names }, values) => {
      const { rows } = await send({ text, values: names.map((name) => values[name]), types });
      return rows;
    }),
  );
}

/** The raw queries of a transaction of the typed client, or of the client itself. */
export type Transaction = {
  $queryRawUnsafe(text: string, ...values: unknown[]): Promise<unknown>;
  $executeRawUnsafe(text: string, ...values: unknown[]): Promise<number>;
};

/** As `query`, inside a transaction of the typed client. */
export async function queryIn<Values, Row>(
  transaction: Transaction,
  { text, names }: Statement<Values, Row>,
  values: Values,
): Promise<Row[]> {
  const rows = (await transaction.$queryRawUnsafe(text, ...names.map((name) => values[name]))) as object[];
  return rows.map(
    (row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toPlain(value)])) as Row,
  );
}

/** As `execute`, inside a transaction of the typed client. */
export async function executeIn<Values>(
  transaction: Transaction,
  { text, names }: Statement<Values, never>,
  values: Values,
): Promise<number> {
  return transaction.$executeRawUnsafe(text, ...names.map((name) => values[name]));
}

function toPlain(value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}
