import { existsSync } from "node:fs";
import { PlainError } from "@/lib/failures";
import { parseEnv } from "@/lib/process/env-variables";
import { logError, logInfo, logStart } from "@/server/log.mjs";
import { DIST_DIRS } from "./build";
import { migrate, openDatabase, requireMigrated } from "./database";
import { runApp } from "./run-app";

/**
 * `npm start`: production. No demo data; migrations are applied here only to the embedded database. What it says are lines
 * of JSON, as the server's own.
 */
export async function main(): Promise<number | undefined> {
  logStart();
  parseEnv(process.env);
  if (!existsSync(`${DIST_DIRS.app}/BUILD_ID`)) throw new PlainError('There is no build yet; run "npm run build".');
  let hasStarted = false;
  try {
    await runApp({
      mode: "production",
      build: false,
      open: (env, say) => openDatabase(env, false, say),
      say: { info: (line) => logInfo("console", line), error: (line) => logError("console", line) },
      async prepare(database) {
        if (database.isEmbedded) return migrate(database.url);
        const note = await requireMigrated(database.url);
        if (note) logInfo("console", note);
      },
      async announce({ app }) {
        hasStarted = true;
        logInfo("console", `Console API on ${app.origin}`);
        return undefined;
      },
    });
  } catch (error) {
    if (!hasStarted || !(error instanceof PlainError)) throw error;
    logError("console ended", error.message);
    return 1;
  }
}
