import { PlainError } from "@/lib/failures";
import { versionText } from "@/lib/process/build-info.mjs";
import { parseEnv, VARIABLE_NAMES } from "@/lib/process/env-variables";
import { tellRefusedStart } from "@/lib/process/refused-start.mjs";
import { logConsoleAtStart, logError, logInfo, logStart } from "@/server/log.mjs";
import { callMain } from "../called-as";
import { requireMigrated } from "../require-migrated";

// `node server.mjs` of the package: the server in this very process, or its workers. Each line that it writes is JSON.

if (process.argv[2] === "--version") {
  console.log(versionText());
  process.exit(0);
}
logConsoleAtStart();
logStart();
try {
  await callMain("server.mjs", serve, process.argv.slice(2));
} catch (error) {
  const reason = error instanceof PlainError ? error.message : String((error as Error).stack);
  tellRefusedStart(reason);
  if (process.send) process.send({ error: reason }, () => process.exit(1));
  else process.exit(1);
}

async function serve(): Promise<void> {
  const env = parseEnv(process.env);
  if (!env.databaseUrl) throw new PlainError("DATABASE_URL is not set. It names the PostgreSQL of the console.");
  const note = await requireMigrated(env.databaseUrl).catch((error: unknown) => {
    // The server starts without a reachable database. /readyz answers 503 until it can be reached.
    if (error instanceof PlainError) throw error;
    logError("the database cannot be reached", String(error));
  });
  if (note) logInfo("console", note);
  // Next would fill an absent variable from files that were not read here.
  for (const name of VARIABLE_NAMES) process.env[name] ??= "";
  process.env.PORT ||= String(env.port);
  process.env.WORKERS = String(env.workers);
  if (env.workers > 1) await import("@/server/workers.mjs");
  else await import("@/server/server.mjs");
}
