import { existsSync } from "node:fs";
import { PlainError } from "@/lib/failures";
import { parseEnv } from "@/lib/process/env-variables";
import { DIST_DIRS } from "./build";
import { migrate, requireMigrated } from "./database";
import { runApp } from "./run-app";

/** `npm start`: production. No demo data; migrations are applied here only to the embedded database. */
export async function main(): Promise<void> {
  parseEnv(process.env);
  if (!existsSync(`${DIST_DIRS.app}/BUILD_ID`)) throw new PlainError('There is no build yet; run "npm run build".');
  await runApp({
    mode: "production",
    build: false,
    mayBeEmbedded: false,
    async prepare(database) {
      if (!database.isEmbedded) return requireMigrated(database.url);
      await migrate(database.url);
    },
    async announce({ app }) {
      console.log(`Console API on ${app.origin}`);
      return undefined;
    },
  });
}
