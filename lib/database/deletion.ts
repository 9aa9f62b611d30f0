import { execute, executeIn, query, type Transaction } from "@/lib/database/run-statement";
import { parameter, type Statement, select, statement } from "@/lib/database/statement";
import { type Column, Expression, type Table } from "@/lib/database/tables";

// Old rows are deleted in small statements, so that each ends long before the statement timeout and holds its locks briefly.

/** Called before each step of long work. False stops the work; the next run continues there. */
export type GoesOn = () => Promise<boolean>;

/** The most rows that one statement deletes or changes. */
const ROWS_AT_ONCE = 2000;
/** The number of owners that one statement handles. It finds the rows of each by an index. */
const OWNERS_AT_ONCE = 200;

type OwnerTable = Table<"Server"> | Table<"GameService"> | Table<"AccessToken"> | Table<"Account"> | Table<"EdgeNode">;

/** Deletes old rows until `goesOn` says stop. `limit` makes a row old. Returns the number of rows. */
export type Deletion<Limit> = (limit: Limit, goesOn: GoesOn) => Promise<number>;

/**
 * Declares a deletion owner by owner. `limit` is the type of the value that makes a row old. `ofOwner` selects the `ctid` of
 * one owner's old rows. `action` is applied to those rows: `delete from …` or `update … set …`.
 */
export function deletion<Limit>(
  owner: OwnerTable,
  limit: Expression<Limit>,
  action: string,
  ofOwner: (limit: string) => string,
): Deletion<Limit> {
  const { id } = owner;
  const next = statement({ after: id }, ({ after }) =>
    select(
      { until: new Expression<number | null>("max(page.id)") },
      `from (select ${id} as id from ${owner} where ${id} > ${after} order by ${id} limit ${OWNERS_AT_ONCE}) page`,
    ),
  );
  // The inner limit makes the planner use the index for each owner. Without it, the planner may read the whole table.
  const deleteOld = statement({ after: id, until: id, limit }, (values) => ({
    sql: `${action} where ctid = any(array(
      select old.place from ${owner} cross join lateral (${ofOwner(values.limit)} limit ${ROWS_AT_ONCE}) as old (place)
      where ${id} > ${values.after} and ${id} <= ${values.until} limit ${ROWS_AT_ONCE}))`,
  }));
  return async (value, goesOn) => {
    let rows = 0;
    for (let after = 0; await goesOn(); ) {
      const [page] = await query(next, { after });
      const until = page?.until ?? null;
      if (until === null) break;
      const old = { after, until, limit: value };
      rows += await untilFew(() => execute(deleteOld, old), goesOn);
      after = until;
    }
    return rows;
  };
}

/** Declares a deletion whose rows one index finds for all owners. `places` selects their `ctid`. */
export function deletionOfAll<Limit>(
  rows: string,
  limit: Expression<Limit>,
  places: (limit: string) => string,
): Deletion<Limit> {
  const deleteOld = statement({ limit }, (values) => ({
    sql: `delete from ${rows} where ctid = any(array(${places(values.limit)} limit ${ROWS_AT_ONCE}))`,
  }));
  return (value, goesOn) => untilFew(() => execute(deleteOld, { limit: value }), goesOn);
}

/** Repeats a statement until it changes fewer than `ROWS_AT_ONCE` rows. Returns the total. */
async function untilFew(change: () => Promise<number>, goesOn: GoesOn): Promise<number> {
  let rows = 0;
  for (let count = ROWS_AT_ONCE; count === ROWS_AT_ONCE && (await goesOn()); rows += count) count = await change();
  return rows;
}

/** Deletes the oldest rows of one owner. Returns their number; fewer than `ROWS_AT_ONCE`: none are left. */
export type OwnersDeletion = Statement<{ ownerId: number }, never>;

/**
 * Declares the deletion of all rows of one owner. With the owner's row they would go in a single statement, which may last
 * longer than a statement is allowed to. `time` is the column behind the owner in the primary key of `rows`.
 */
export function deletionOfOwner(rows: Rows, ownerId: Column<number>, time: Column<Date>): OwnersDeletion {
  return statement({ ownerId }, ({ ownerId: id }) => ({
    sql: `delete from ${rows} where ${ownerId} = ${id} and ${time} <= coalesce((
      select ${time} from ${rows} where ${ownerId} = ${id} order by ${time} offset ${ROWS_AT_ONCE - 1} limit 1), 'infinity')`,
  }));
}

type Rows =
  | Table<"TelemetrySample">
  | Table<"TelemetryHour">
  | Table<"MetricSample">
  | Table<"TokenEvent">
  | Table<"ServiceEvent">;

/** Deletes all rows of an owner, in small statements. */
export async function deleteOfOwner(deletion: OwnersDeletion, ownerId: number): Promise<void> {
  while ((await execute(deletion, { ownerId })) >= ROWS_AT_ONCE);
}

/** Deletes some rows of an owner in a transaction. False: there are more. */
export async function deleteSomeOfOwner(tx: Transaction, deletion: OwnersDeletion, ownerId: number): Promise<boolean> {
  return (await executeIn(tx, deletion, { ownerId })) < ROWS_AT_ONCE;
}

/** The types of what makes a row old. */
export const BEFORE = parameter<Date>("timestamptz");
export const MOST = parameter<number>("int");
