import { PlainError } from "@/lib/failures";
import { SECOND } from "@/lib/format/time";
import { compareMigrations, listMigrations, type Migration } from "../migrations";
import { ONLINE_WAYS } from "./online-ways";
import { MigrationSession } from "./session";
import { effectsOf } from "./statements";
import { estimateRows, hasTable } from "./tables";

/** How long the plan of a migration waits for tables that somebody has locked (ms). */
const PATIENCE = 2 * SECOND;

/** What is applied and what is not, and what each migration that is not will lock and write. Changes nothing. */
export async function describeStatus(url: string): Promise<string> {
  const { missing, changed, failed, unknown } = await compareMigrations(url);
  const session = await MigrationSession.open(url, { say() {}, stop: new AbortController().signal });
  try {
    const all = listMigrations();
    const lines = [`Applied: ${all.length - missing.length} of ${all.length}.`];
    for (const migration of all.filter(({ name }) => missing.includes(name))) {
      const note = failed.includes(migration.name)
        ? ": has failed; nothing of it is kept unless --resolve says so"
        : "";
      lines.push(`Pending: ${migration.name}${note}`, ...(await planOf(session, migration)).map((line) => `  ${line}`));
    }
    lines.push(
      ...changed.map((name) => `Applied with another text: ${name}`),
      ...unknown.map((name) => `Of a newer version: ${name}`),
    );
    return lines.join("\n");
  } finally {
    await session.close();
  }
}

/** What a migration will lock and write, or why that cannot be said now. */
async function planOf(session: MigrationSession, migration: Migration): Promise<string[]> {
  try {
    return await session.read("what it will lock and write", () => readPlan(session, migration), PATIENCE);
  } catch (error) {
    if (error instanceof PlainError) return [error.message];
    throw error;
  }
}

async function readPlan({ client }: MigrationSession, migration: Migration): Promise<string[]> {
  const way = ONLINE_WAYS[migration.name];
  if (way && (await way.isNeeded(client))) return way.plan(client);
  const { locks, indexes, writes } = effectsOf(migration.sql);
  const sizes = async (tables: readonly string[]) => {
    const there: string[] = [];
    for (const table of tables) {
      if (await hasTable(client, table)) there.push(`${table} (${await estimateRows(client, table)} rows)`);
    }
    return there.join(", ");
  };
  const parts = [
    ["locks for a moment: ", await sizes(locks)],
    ["builds an index on: ", await sizes(indexes)],
    ["writes: ", await sizes(writes)],
  ];
  const lines = parts.flatMap(([what, tables]) => (tables ? [`${what}${tables}`] : []));
  return lines.length > 0 ? lines : ["touches no table that is there"];
}
