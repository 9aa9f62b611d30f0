import { UnusableDatabaseError } from "@/lib/failures";
import type { Env } from "@/lib/process/env-variables";
import { moveFilesAside } from "@/server/embedded/database";
import { migrate, type OpenDatabase, openDatabase } from "./database";

/**
 * The database of the demo, migrated. The files of an embedded one that this version cannot use are moved aside, and a new
 * one begins: nothing is deleted. @throws PlainError
 */
export async function openDemoDatabase(env: Env, say: (line: string) => void = console.error): Promise<OpenDatabase> {
  try {
    return await openMigrated(env, say);
  } catch (error) {
    if (env.databaseUrl || !(error instanceof UnusableDatabaseError)) throw error;
    say(`${error.message} Its files are kept in ${moveFilesAside(env.dataDir)}, and the demo begins with new ones.`);
    return openMigrated(env, say);
  }
}

async function openMigrated(env: Env, say: (line: string) => void): Promise<OpenDatabase> {
  const database = await openDatabase(env, true, say);
  try {
    await migrate(database.url);
    return database;
  } catch (error) {
    await database.stop();
    throw error;
  }
}
