// The console in production: `npm start`, the systemd unit and the image run this file. It is one process, and each line
// that it writes is JSON, from the first to the last.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { versionText } from "../lib/process/build-info.mjs";
import { isInstalled, nodeProblem } from "../lib/process/checkout.mjs";
import { tellRefusedStart } from "../lib/process/refused-start.mjs";
import { logConsoleAtStart, logError, logInfo, logStart } from "./log.mjs";

// Next reads its settings from the working directory, where the migrations also are.
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const [argument] = process.argv.slice(2);
if (argument === "--version") {
  process.stdout.write(`${versionText()}\n`);
  process.exit(0);
}
Object.assign(process.env, { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" });
logConsoleAtStart();
logStart();
try {
  const problem = await findProblem();
  if (problem === null) await import("./server.mjs");
  else refuse(problem);
} catch (error) {
  refuse(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** @param {string} reason */
function refuse(reason) {
  tellRefusedStart(reason);
  // A parent, such as the demo, tells a person.
  if (process.send) process.send({ error: reason }, () => process.exit(1));
  else process.exit(1);
}

/** Why the console cannot start; null when it can. */
async function findProblem() {
  if (argument !== undefined) {
    return `The console takes no arguments, so not ${JSON.stringify(argument)}. Its settings are variables of the environment.`;
  }
  const problem = nodeProblem();
  if (problem) return problem;
  if (!isInstalled(false))
    return 'The installed packages do not match this version. Run "npm ci" and "npm run build" first.';
  if (existsSync(".env")) process.loadEnvFile(".env");
  const checks = resolve(process.env.CONSOLE_DIST_DIR || ".next", "start-checks.mjs");
  if (!existsSync(checks)) return 'There is no build yet; run "npm run build".';
  const { checkStart } = await import(pathToFileURL(checks).href);
  const { refused, unreachable, notes = [] } = await checkStart();
  if (unreachable) logError("the database cannot be reached", unreachable);
  for (const note of notes) logInfo("console", note);
  return refused ?? null;
}
