import { execute, executeIn, query, type Transaction } from "@/lib/database/run-statement";
import { parameter, type Statement, select, statement } from "@/lib/database/statement";
import { type Column, Expression, type Table } from "@/lib/database/tables";

// Old rows are deleted in small statements, so that each ends long before the statement timeout and holds its locks briefly.
// Rows are named by their keys: on a distributed engine no statement may name them by their place.

/** Called before each step of long work. False stops the work; the next run continues there. */
export type GoesOn = () => Promise<boolean>;

/** The most rows that one statement deletes or changes. */
const ROWS_AT_ONCE = 2000;
/** The number of owners that one statement handles. It finds the rows of each by an index. */
const OWNERS_AT_ONCE = 200;

type Rule = {
  /** `delete from …`, or `update … set …`. */
  action: string;
  /** The columns that name a row of that table. */
  key: string;
  /** Selects the keys of old rows. `kept` is how many of something are kept: days, hours, rows. */
  old: (kept: string) => string;
  /** The table of their owners, as `o`: the rows of each are found by an index that begins with the owner. */
  ofEach?: string | undefined;
};

/** Deletes old rows until `goesOn` says stop. Answers how many. */
type Deletion = (kept: number, goesOn: GoesOn) => Promise<number>;

/** Declares a deletion: of the rows of one owner after the other, or of all of them. */
export function deletion({ action, key, old, ofEach }: Rule): Deletion {
  const kept = parameter<number>("int");
  if (!ofEach) {
    const deleteOld = statement({ kept }, (values) => ({
      sql: `${action} where (${key}) in (${old(values.kept)} limit ${ROWS_AT_ONCE})`,
    }));
    return (kept, goesOn) => untilFew(() => execute(deleteOld, { kept }), goesOn);
  }
  const owner = parameter<number>("int");
  const next = statement({ after: owner }, ({ after }) =>
    select(
      { until: new Expression<number | null>("max(page.id)") },
      `from (select id from ${ofEach} where id > ${after} order by id limit ${OWNERS_AT_ONCE}) page`,
    ),
  );
  // The inner limit makes the planner use the index for each owner. Without it, the planner may read the whole table.
  const deleteOld = statement({ after: owner, until: owner, kept }, (values) => ({
    sql: `${action} where (${key}) in (
      select old.* from ${ofEach} o cross join lateral (${old(values.kept)} limit ${ROWS_AT_ONCE}) old
      where o.id > ${values.after} and o.id <= ${values.until} limit ${ROWS_AT_ONCE})`,
  }));
  return async (kept, goesOn) => {
    let rows = 0;
    for (let after = 0; await goesOn(); ) {
      const [page] = await query(next, { after });
      const until = page?.until ?? null;
      if (until === null) break;
      const values = { after, until, kept };
      rows += await untilFew(() => execute(deleteOld, values), goesOn);
      after = until;
    }
    return rows;
  };
}

/** Repeats a statement until it changes fewer than `ROWS_AT_ONCE` rows. Returns the total. */
async function untilFew(change: () => Promise<number>, goesOn: GoesOn): Promise<number> {
  let rows = 0;
  for (let count = ROWS_AT_ONCE; count === ROWS_AT_ONCE && (await goesOn()); rows += count) count = await change();
  return rows;
}

/** Deletes the oldest rows of one owner. Returns their number; fewer than `ROWS_AT_ONCE`: none are left. */
type OwnersDeletion = Statement<{ ownerId: number }, never>;

type Rows = Table<"TelemetrySample"> | Table<"TelemetryHour"> | Table<"MetricSample"> | Table<"Event">;

/**
 * Declares the deletion of all rows of one owner. With the owner's row they would go in a single statement, which may last
 * longer than a statement is allowed to. `time` orders them; `and` says which are meant.
 */
export function deletionOfOwner(rows: Rows, ownerId: Column<number>, time: Column<Date>, and = ""): OwnersDeletion {
  return statement({ ownerId }, ({ ownerId: id }) => ({
    sql: `delete from ${rows} where ${ownerId} = ${id} ${and} and ${time} <= coalesce((
      select ${time} from ${rows} where ${ownerId} = ${id} ${and} order by ${time} offset ${ROWS_AT_ONCE - 1} limit 1),
      'infinity')`,
  }));
}

/** Deletes all rows of an owner, in small statements. */
export async function deleteOfOwner(deletion: OwnersDeletion, ownerId: number): Promise<void> {
  while ((await execute(deletion, { ownerId })) >= ROWS_AT_ONCE);
}

/** Deletes some rows of an owner in a transaction. False: there are more. */
export async function deleteSomeOfOwner(tx: Transaction, deletion: OwnersDeletion, ownerId: number): Promise<boolean> {
  return (await executeIn(tx, deletion, { ownerId })) < ROWS_AT_ONCE;
}
