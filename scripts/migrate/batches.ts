import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { PlainError } from "@/lib/failures";
import { MINUTE, SECOND } from "@/lib/format/time";
import type { Migration } from "../migrations";
import { beginProgress, isRecorded, type Progress, readProgress, writeProgress } from "./records";
import type { Step } from "./step";

/** Rows that are changed a few at a time, in the order of a key. */
export type Batches = {
  table: string;
  /** Its primary key. */
  key: string;
  /** Rows of one transaction. */
  size: number;
  /** Which rows are still to be changed. */
  isOpen: string;
};

/** The pause before rows that were locked are tried again, and after how long of that it is given up. */
const AGAIN_AFTER = SECOND;
const PATIENCE = 10 * MINUTE;

/**
 * A step that changes all rows of a table. `update` changes those whose keys are in the table "free". How far it is stands
 * in a row.
 */
export function batchStep(what: string, migration: Migration, batches: Batches, update: string): Step {
  return {
    what,
    isDone: async (client) => (await readProgress(client, migration))?.isDone === true,
    async long(session) {
      const { client } = session;
      await session.quick(what, async () => {
        const hasBegun = (await readProgress(client, migration)) || (await isRecorded(client, migration.name));
        return hasBegun ? null : beginProgress(migration);
      });
      const began = performance.now();
      for (;;) {
        const [row] = await session.quick(what, () => planBatch(client, migration, batches, update));
        // Another `migrate` has come to the end.
        if (!row) return;
        const progress: Progress = JSON.parse(row.logs);
        if (progress.isDone) return;
        if (progress.after !== null) continue;
        if (performance.now() - began > PATIENCE) {
          throw new PlainError(`${what}: some rows of ${batches.table} stay locked. Run the same command again.`);
        }
        session.say(`${what}: some rows are locked, and are tried again.`);
        await wait(AGAIN_AFTER);
      }
    },
  };
}

/**
 * The statement that changes the rows of the next batch that nobody has locked, and notes how far that is. Null: nothing is
 * left.
 */
async function planBatch(
  client: pg.ClientBase,
  migration: Migration,
  { table, key, size, isOpen }: Batches,
  update: string,
): Promise<string | null> {
  const before = await readProgress(client, migration);
  if (!before || before.isDone) return null;
  const { after, skipped } = before;
  const { rows } = await client.query(
    `select ${key} as key from ${table} ${after === null ? "where $1::text is null" : `where ${key} > $1`}
     order by ${key} limit ${size}`,
    [after],
  );
  const keys = rows.map((row) => row.key);
  const open = `from ${table} where ${key} = any(${arrayOf(keys)}) and ${isOpen}`;
  const locked = `(select ${skipped} + count(*) ${open} and ${key} not in (select key from free))`;
  // Behind the last row the next round begins; there is none when no row of this one was locked.
  const progress =
    keys.length < size
      ? `json_build_object('after', null, 'skipped', 0, 'isDone', ${locked} = 0)`
      : `json_build_object('after', ${literal(keys.at(-1))}::json, 'skipped', ${locked}, 'isDone', false)`;
  return `with free as materialized (select ${key} as key ${open} order by ${key} for update skip locked),
    changed as (${update})
    ${writeProgress(migration, progress)}`;
}

const literal = (value: unknown) => pg.escapeLiteral(JSON.stringify(value));
const arrayOf = (keys: readonly unknown[]) =>
  pg.escapeLiteral(`{${keys.map((key) => JSON.stringify(String(key))).join(",")}}`);
