import { execute, query } from "@/lib/database/run-statement";
import { parameter, type Statement, select, statement } from "@/lib/database/statement";
import { type Column, Expression, type Table } from "@/lib/database/tables";

// Old rows are deleted in small statements: each ends long before the statement timeout, and holds its locks for as short.

/** Asked before each small step of long work: false means to stop, and the next time goes on from there. */
export type GoesOn = () => Promise<boolean>;

/** Rows that one statement deletes or changes at most. */
const ROWS_AT_ONCE = 2000;
/** Owners whose rows one statement looks for, each by an index. */
const OWNERS_AT_ONCE = 200;

type OwnerTable = Table<"Server"> | Table<"GameService"> | Table<"AccessToken"> | Table<"Account">;

/** How old rows of owners are found and deleted; `Limit` is the type of what makes a row old. */
export type Deletion<Limit> = {
  next: Statement<{ after: number }, { until: number | null }>;
  deleteOld: Statement<{ after: number; until: number; limit: Limit }, never>;
};

/**
 * Declares a deletion. `limit` is the type of what makes a row old; `ofOwner` a query of the places (`ctid`) of the old
 * rows of one owner; `action` is what happens to them: `delete from …` or `update … set …`.
 */
export function deletion<Limit>(
  owner: OwnerTable,
  id: Column<number>,
  limit: Expression<Limit>,
  action: string,
  ofOwner: (limit: string) => string,
): Deletion<Limit> {
  return {
    next: statement({ after: id }, ({ after }) =>
      select(
        { until: new Expression<number | null>("max(page.id)") },
        `from (select ${id} as id from ${owner} where ${id} > ${after} order by ${id} limit ${OWNERS_AT_ONCE}) page`,
      ),
    ),
    // The inner limit has the rows of each owner looked up by its index: without it the planner may read the whole table.
    deleteOld: statement({ after: id, until: id, limit }, (given) => ({
      sql: `${action} where ctid = any(array(
        select old.place from ${owner} cross join lateral (${ofOwner(given.limit)} limit ${ROWS_AT_ONCE}) as old (place)
        where ${id} > ${given.after} and ${id} <= ${given.until} limit ${ROWS_AT_ONCE}))`,
    })),
  };
}

/** Deletes the old rows of all owners, as long as it may go on. Answers how many rows. */
export async function deleteAll<Limit>(
  { next, deleteOld }: Deletion<Limit>,
  limit: Limit,
  goesOn: GoesOn,
): Promise<number> {
  let rows = 0;
  for (let after = 0; await goesOn(); ) {
    const [page] = await query(next, { after });
    const until = page?.until ?? null;
    if (until === null) break;
    const old = { after, until, limit };
    rows += await untilFew(() => execute(deleteOld, old), goesOn);
    after = until;
  }
  return rows;
}

/** Repeats a statement that changes `ROWS_AT_ONCE` rows at most until it finds fewer. Answers how many in all. */
async function untilFew(change: () => Promise<number>, goesOn: GoesOn): Promise<number> {
  let rows = 0;
  for (let count = ROWS_AT_ONCE; count === ROWS_AT_ONCE && (await goesOn()); rows += count) count = await change();
  return rows;
}

/** Declares a deletion of rows that an index of their own finds: `places` are their `ctid`. */
export function deletionOfAll<Limit>(
  rows: string,
  limit: Expression<Limit>,
  places: (limit: string) => string,
): Statement<{ limit: Limit }, never> {
  return statement({ limit }, (given) => ({
    sql: `delete from ${rows} where ctid = any(array(${places(given.limit)} limit ${ROWS_AT_ONCE}))`,
  }));
}

/** Deletes all rows that such a deletion finds, as long as it may go on. Answers how many. */
export function deleteEach<Limit>(
  deletion: Statement<{ limit: Limit }, never>,
  limit: Limit,
  goesOn: GoesOn,
): Promise<number> {
  return untilFew(() => execute(deletion, { limit }), goesOn);
}

/** The types of what makes a row old. */
export const BEFORE = parameter<Date>("timestamptz");
export const MOST = parameter<number>("int");
