// The console in production: `npm start`, the systemd unit and the image run this file. It is one process, and each line
// that it writes is JSON, from the first to the last.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildInfo, versionText } from "../lib/process/build-info.mjs";
import { isInstalled, nodeProblem } from "../lib/process/checkout.mjs";
import { logConsole } from "../lib/process/console.mjs";
import { log } from "../lib/process/log.mjs";
import { tellRefusedStart } from "../lib/process/refused-start.mjs";

// Next reads its settings from the working directory, where the migrations also are.
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const [argument] = process.argv.slice(2);
if (argument === "--version") {
  process.stdout.write(`${versionText()}\n`);
  process.exit(0);
}
Object.assign(process.env, { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" });
// Node's warnings as well.
process.removeAllListeners("warning");
// The code tells apart warnings that begin with the same words.
process.on("warning", (/** @type {Error & { code?: string }} */ { name, message, code }) =>
  console.warn(`${code ? `${code} ` : ""}${name}: ${message}`),
);
logConsole();
log("info", "starting", { ...buildInfo(), node: process.versions.node });
try {
  const problem = await findProblem();
  // Stacks name lines of the sources.
  process.setSourceMapsEnabled(true);
  if (problem === null) await import(pathToFileURL(inBuild("server.mjs")).href);
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

/** @param {string} file */
function inBuild(file) {
  return resolve(process.env.CONSOLE_DIST_DIR || ".next", file);
}

/** Whether the bundle of the server begins with the id of the build that it is started with. */
function isOfOneBuild() {
  try {
    const head = `// Build ${readFileSync(inBuild("BUILD_ID"), "utf8")}\n`;
    return readFileSync(inBuild("server.mjs"), "utf8").startsWith(head);
  } catch {
    return false;
  }
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
  const checks = inBuild("start-checks.mjs");
  if (!existsSync(checks)) return 'There is no build yet; run "npm run build".';
  if (!isOfOneBuild()) return 'The server is not of the same build as the pages; run "npm run build".';
  const { checkStart } = await import(pathToFileURL(checks).href);
  const { refused, unreachable, notes = [] } = await checkStart();
  if (unreachable) log("error", "the database cannot be reached", { detail: unreachable });
  for (const note of notes) log("info", "console", { detail: note });
  return refused ?? null;
}
