import { parseEnv } from "@/lib/process/env-variables";
import { joinDatabase, migrate } from "./database";

/**
 * Runs a task of the command line over the database that the settings name, and leaves nothing open. What the task needs
 * from lib/ it must import itself, late: the database client reads DATABASE_URL when it is loaded.
 */
export async function withDatabase(task: () => Promise<void>): Promise<void> {
  const database = await joinDatabase(parseEnv(process.env));
  process.env.DATABASE_URL = database.url;
  try {
    if (database.isEmbedded) await migrate(database.url);
    await task();
  } finally {
    const { db } = await import("@/lib/database/client");
    await db.$disconnect();
    await database.stop();
  }
}
