import { parseEnv } from "@/lib/process/env-variables";
import { migrate, openDatabase } from "./database";

/** `npm run migrate`: brings the database up to date. Run it once per release, before the instances start. */
export async function main(): Promise<void> {
  const database = await openDatabase(parseEnv(process.env), false);
  try {
    await migrate(database.url);
    console.log("The database is up to date.");
  } finally {
    await database.stop();
  }
}
