import { parseEnv } from "@/lib/process/env-variables";
import { joinDatabase, migrate } from "./database";

/**
 * Runs a command-line task with the configured database and closes it afterwards. The task must import lib/ itself,
 * lazily: the database client reads DATABASE_URL when it is loaded.
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
