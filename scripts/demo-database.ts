import { UnusableDatabaseError } from "@/lib/failures";
import type { Env } from "@/lib/process/env-variables";
import { moveFilesAside } from "@/server/embedded/database";
import { migrate, type OpenDatabase, openDatabase } from "./database";

/**
 * The database of the demo, migrated. The files of an embedded one that this version cannot use are moved aside, and a new
 * one begins: nothing is deleted. @throws PlainError
 */
export async function openDemoDatabase(env: Env): Promise<OpenDatabase> {
  try {
    return await openMigrated(env);
  } catch (error) {
    if (env.databaseUrl || !(error instanceof UnusableDatabaseError)) throw error;
    const aside = moveFilesAside(env.dataDir);
    console.error(`${error.message} Its files are kept in ${aside}, and the demo begins with new ones.`);
    return openMigrated(env);
  }
}

async function openMigrated(env: Env): Promise<OpenDatabase> {
  const database = await openDatabase(env, true);
  try {
    await migrate(database.url);
    return database;
  } catch (error) {
    await database.stop();
    throw error;
  }
}
