import { PlainError } from "@/lib/failures";
import { calledAs } from "../called-as";
import { compareMigrations, listMigrations, type Migration } from "../migrations";
import { ONLINE_WAYS, type OnlineWay } from "./online-ways";
import { isRecorded, MAKE_TABLE, recordApplied, recordRolledBack } from "./records";
import { MigrationSession, type SessionOptions } from "./session";
import { hasTable } from "./tables";

/** PostgreSQL's codes for a column, table, function or other object that is there already. */
export const IS_THERE = new Set(["42701", "42P07", "42710", "42723", "42P06"]);

/**
 * Applies the migrations that the database lacks, while consoles serve from it. It may be killed at any moment: the
 * database still serves, and the next run goes on. @throws PlainError
 */
export async function applyMigrations(url: string, options: SessionOptions): Promise<void> {
  const { missing, changed, failed } = await compareMigrations(url);
  const [wrong] = changed;
  if (wrong) throw new PlainError(`${wrong} stands in the database with another text. Nothing was changed.`);
  const foreign = failed.find((name) => !missing.includes(name));
  if (foreign) throw new PlainError(`${foreign} has failed. It belongs to another version: migrate with that one.`);
  // The lock of a long step belongs to its connection. A pooler would give that to others, and the lock would stay.
  if (new URL(url).searchParams.get("pgbouncer") === "true") {
    throw new PlainError(
      "DATABASE_URL leads through a pooler (pgbouncer=true). Name PostgreSQL itself for this command; nothing was changed.",
    );
  }
  const session = await MigrationSession.open(url, options);
  try {
    if (!(await hasTable(session.client, "_prisma_migrations"))) await begin(session);
    for (const migration of listMigrations()) {
      if (missing.includes(migration.name)) await apply(session, migration, failed.includes(migration.name));
    }
  } finally {
    await session.close();
  }
}

/** Makes the table of migrations in a database that has no other. @throws PlainError */
async function begin(session: MigrationSession): Promise<void> {
  await session.quick("_prisma_migrations", async () => {
    const { rowCount } = await session.client.query(
      "select from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') limit 1",
    );
    if (rowCount !== 0 && !(await hasTable(session.client, "_prisma_migrations"))) {
      throw new PlainError("The database holds tables that are not this console's. Nothing was changed.");
    }
    return MAKE_TABLE;
  });
}

async function apply(session: MigrationSession, migration: Migration, hasFailed: boolean): Promise<void> {
  session.say(`${migration.name} …`);
  const way = await findWay(session, migration);
  if (way) return goWay(session, migration, way);
  try {
    await session.quick(migration.name, async () =>
      (await isRecorded(session.client, migration.name)) ? null : `${migration.sql};\n${recordApplied(migration)}`,
    );
  } catch (error) {
    const { code = "", message } = error as { code?: string; message: string };
    if (error instanceof PlainError) throw error;
    throw new PlainError(
      hasFailed && IS_THERE.has(code)
        ? `${migration.name} has failed before, and what it makes is there (${message}). "${calledAs("migrate")} --resolve" looks whether all of it is.`
        : `${migration.name} could not be applied, and nothing of it was: ${message}`,
    );
  }
}

/** The online way of a migration whose file would take long here. It reads tables, which somebody may have locked. */
async function findWay(session: MigrationSession, { name }: Migration): Promise<OnlineWay | null> {
  const way = ONLINE_WAYS[name];
  if (!way) return null;
  return (await session.read(name, () => way.isNeeded(session.client))) ? way : null;
}

/** Goes the steps of an online way that are not done. The migration is recorded with the last one. */
async function goWay(session: MigrationSession, migration: Migration, way: OnlineWay): Promise<void> {
  const { client } = session;
  const record = async () => ((await isRecorded(client, migration.name)) ? null : recordApplied(migration));
  try {
    // Else a version that serves does not start again.
    await session.quick(migration.name, async () => recordRolledBack(migration.name));
    const steps = way.steps(migration);
    for (const step of steps) {
      if (await step.isDone(client)) continue;
      session.say(`  ${step.what} …`);
      if ("long" in step) {
        await session.alone(step.what, async () => {
          if (!(await step.isDone(client))) await step.long(session);
        });
      } else {
        await session.quick(step.what, async () => {
          const script = (await step.isDone(client)) ? null : await step.quick(client);
          return [script, step === steps.at(-1) && (await record())].filter(Boolean).join(";\n") || null;
        });
      }
    }
    await session.quick(migration.name, record);
  } catch (error) {
    await takeBack(session, way);
    if (error instanceof PlainError) throw error;
    throw new PlainError(
      `${migration.name} could not go on: ${(error as Error).message}. The console goes on as before; run the same command again.`,
    );
  }
}

/** On a connection of its own: that of the session may be what has failed. */
async function takeBack({ url, say }: MigrationSession, way: OnlineWay): Promise<void> {
  if (!way.takeBack) return;
  try {
    const session = await MigrationSession.open(url, { say, stop: new AbortController().signal });
    try {
      // Else another `migrate` goes on with it.
      if (await session.isAlone()) await way.takeBack(session);
    } finally {
      await session.close();
    }
  } catch (error) {
    say(`${(error as Error).message} "${calledAs("migrate")} --status" says what is left.`);
  }
}
