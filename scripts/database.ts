import { probeDatabase } from "@/lib/database/connection";
import { PlainError } from "@/lib/failures";
import type { Env } from "@/lib/process/env-variables";
import { type EmbeddedDatabase, findRunningDatabase, startEmbeddedDatabase } from "@/server/embedded/database";
import { calledAlone, calledAs } from "./called-as";
import { applyMigrations, compareMigrations, type Difference, type MigrateOptions } from "./migrations";

export type OpenDatabase = EmbeddedDatabase & { isEmbedded: boolean };

/** A database that runs elsewhere. This process neither stops it nor sees it fail. */
const ELSEWHERE = { failed: new Promise<never>(() => {}), stop: async () => {} };

/**
 * The database that the settings name, reachable; or the embedded one, started. Says which it is, on standard error.
 * `mayBeEmbedded`: whether the embedded one is meant where no database is named. @throws PlainError
 */
export async function openDatabase(
  env: Env,
  mayBeEmbedded: boolean,
  say: (line: string) => void = console.error,
): Promise<OpenDatabase> {
  if (env.databaseUrl) {
    await requireReachable(env.databaseUrl);
    say(`Using the database ${nameOf(env.databaseUrl)}.`);
    return { url: env.databaseUrl, isEmbedded: false, ...ELSEWHERE };
  }
  if (!env.isEmbeddedNamed && !mayBeEmbedded) {
    throw new PlainError(
      'DATABASE_URL is not set, so it is not known which database is meant. Name your PostgreSQL in it, or "embedded" for the embedded database.',
    );
  }
  const embedded = await startEmbeddedDatabase(env.dataDir);
  say(`Using the embedded database in ${env.dataDir}.`);
  return { ...embedded, isEmbedded: true };
}

/** As `openDatabase`, but shares an embedded database that another process serves, such as a running demo. */
export async function joinDatabase(env: Env): Promise<OpenDatabase> {
  const running = env.databaseUrl ? null : await findRunningDatabase(env.dataDir);
  if (!running) return openDatabase(env, false);
  console.error(`Using the embedded database in ${env.dataDir}, which another process serves.`);
  return { url: running, isEmbedded: true, ...ELSEWHERE };
}

/** Applies the migrations that the database lacks. @throws PlainError */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<void> {
  if (problemOf(await compareMigrations(url, options.folder))) await applyMigrations(url, options);
}

/**
 * Answers a sentence for the log when a newer version has brought the database further, which is right: while instances
 * are replaced one by one, old ones may have to start again. @throws PlainError when the database lacks a migration: the
 * app would fail at its first query.
 */
export async function requireMigrated(url: string, folder?: string): Promise<string | null> {
  const difference = await compareMigrations(url, folder);
  const problem = problemOf(difference);
  if (problem) throw new PlainError(`The database is not up to date; run "${MIGRATE}": ${problem}.`);
  const newest = difference.newer.at(-1);
  if (!newest) return null;
  return `The database is ahead of this version, up to ${newest}, and this version serves from it; "${calledAs("migrate")} --status" of the newer version says more.`;
}

const MIGRATE = calledAlone("migrate");

/** Why the app cannot use a database. Null: it can. */
function problemOf({ missing, changed, failed }: Difference): string | null {
  const [first] = [...failed, ...changed];
  if (first) return `${first} ${failed.length > 0 ? "has failed" : "stands in it with another text"}`;
  return missing.length === 0 ? null : `it lacks ${missing.length}, from ${missing[0]} on`;
}

async function requireReachable(url: string): Promise<void> {
  try {
    await probeDatabase(url);
  } catch (error) {
    const reason = error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code : String(error);
    throw new PlainError(`The database ${nameOf(url)} (DATABASE_URL) cannot be reached: ${reason}.`);
  }
}

/** Names a database for messages, without its user and password. */
function nameOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${decodeURIComponent(pathname.slice(1))} at ${hostname}:${port || "5432"}`;
}
