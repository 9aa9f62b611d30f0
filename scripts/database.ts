import { existsSync } from "node:fs";
import { probeDatabase } from "@/lib/database/connection";
import { PlainError } from "@/lib/failures";
import type { Env } from "@/lib/process/env-variables";
import type { EmbeddedDatabase } from "@/server/embedded/database";
import { applyMigrations, compareMigrations, type MigrateOptions } from "./migrations";
import { problemOf } from "./require-migrated";

export type OpenDatabase = EmbeddedDatabase & { isEmbedded: boolean };

/** A database that runs elsewhere. This process neither stops it nor sees it fail. */
const ELSEWHERE = { failed: new Promise<never>(() => {}), stop: async () => {} };

/**
 * The database that the settings name, reachable; or the embedded one, started. Says which it is, on standard error.
 * `mayBeEmbedded`: whether the embedded one is meant where no database is named. @throws PlainError
 */
export async function openDatabase(env: Env, mayBeEmbedded: boolean): Promise<OpenDatabase> {
  if (env.databaseUrl) {
    await requireReachable(env.databaseUrl);
    console.error(`Using the database ${nameOf(env.databaseUrl)}.`);
    return { url: env.databaseUrl, isEmbedded: false, ...ELSEWHERE };
  }
  if (!env.isEmbeddedNamed && !mayBeEmbedded) {
    throw new PlainError(
      'DATABASE_URL is not set, so it is not known which database is meant. Name your PostgreSQL in it, or "embedded" for the embedded database.',
    );
  }
  // Imported late: the image does not have it.
  const { startEmbeddedDatabase } = await import("@/server/embedded/database");
  const embedded = await startEmbeddedDatabase(env.dataDir);
  console.error(`Using the embedded database in ${env.dataDir}.`);
  return { ...embedded, isEmbedded: true };
}

/** As `openDatabase`, but shares an embedded database that another process serves, such as a running demo. */
export async function joinDatabase(env: Env): Promise<OpenDatabase> {
  if (env.databaseUrl || !existsSync(env.dataDir)) return openDatabase(env, false);
  const { findRunningDatabase } = await import("@/server/embedded/owner-file");
  const running = await findRunningDatabase(env.dataDir);
  if (!running) return openDatabase(env, false);
  console.error(`Using the embedded database in ${env.dataDir}, which another process serves.`);
  return { url: running, isEmbedded: true, ...ELSEWHERE };
}

/** Applies the migrations that the database lacks. @throws PlainError */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<void> {
  if (problemOf(await compareMigrations(url, options.folder))) await applyMigrations(url, options);
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
