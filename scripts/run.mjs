// Runs every command of package.json, and is the only place that ends its process. It checks Node, installs what is
// missing, and runs the TypeScript file named like the command. It is plain JavaScript without packages, because a
// fresh clone has nothing else.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { versionText } from "../lib/process/build-info.mjs";
import { isInstalled, nodeProblem } from "../lib/process/checkout.mjs";
import { demoStep } from "./demo-steps.mjs";
import { withSetupLock } from "./setup-lock.mjs";

/** Says what lib/generated was made from. It is committed with it. */
const GENERATED_STAMP = "lib/generated/inputs.sha256";
/** Commands that need the development tools. The others install half as much. */
const DEVELOPMENT_COMMANDS = new Set(["test", "guard", "documents", "screenshots"]);
/** Commands that end within seconds: compiling WebAssembly a second time, for speed, would take longer than it saves. */
const SHORT_COMMANDS = new Set(["console", "migrate"]);

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

const [command = "", ...args] = process.argv.slice(2);
requireCommand();
if (args[0] === "--version") {
  process.stdout.write(`${versionText()}\n`);
  process.exit(0);
}
const problem = nodeProblem();
if (problem) fail(problem);
requireTempFolder();
loadDotEnv();
// With NODE_ENV=production, npm leaves out the development tools, and some behave differently.
if (DEVELOPMENT_COMMANDS.has(command)) Reflect.deleteProperty(process.env, "NODE_ENV");
if (SHORT_COMMANDS.has(command)) setFlagsFromString("--liftoff-only");
/** @typedef {{ title: string, isDone: () => boolean, run: () => string[], finish?: () => void }} Preparation */
/** @type {Preparation[]} */
const PREPARATIONS = [
  {
    title: "Installing packages",
    isDone: () => isInstalled(needsTools()),
    // Another command may run on the packages that are there, so tools are added to them. Only "ci" removes any.
    run: () =>
      npm(
        ...(isInstalled(false) ? ["install", "--no-save"] : ["ci"]),
        needsTools() ? "--include=dev" : "--omit=dev",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
      ),
  },
  {
    title: "Generating the client",
    isDone: isGenerated,
    run: () => [process.execPath, "node_modules/prisma/build/index.js", "generate"],
    finish: () => writeFileSync(GENERATED_STAMP, `${schemaHash()}\n`),
  },
];
// Asked again inside the lock: another command may have done it meanwhile. A finished checkout may be read-only.
if (!PREPARATIONS.every(({ isDone }) => isDone())) {
  await withSetupLock(async () => {
    for (const preparation of PREPARATIONS) {
      if (!preparation.isDone()) await prepare(preparation);
    }
  });
}

const { register } = await import("tsx/esm/api");
register();
const { PlainError } = await import("../lib/failures.ts");
const { callMain } = await import("./called-as.ts");
try {
  const { main } = await import(`./${command}.ts`);
  process.exit((await callMain([command], main, args)) ?? 0);
} catch (error) {
  fail(error instanceof PlainError ? error.message : error);
}

/** package.json is the list of commands. */
function requireCommand() {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  if (Object.hasOwn(scripts, command) && scripts[command] === `node scripts/run.mjs ${command}`) return;
  fail(`There is no command "${command}". See "scripts" in package.json.`);
}

/** Fails early without a temporary folder, because many tools would hang without one. */
function requireTempFolder() {
  try {
    rmdirSync(mkdtempSync(join(tmpdir(), "console-")));
  } catch (error) {
    fail(
      `The folder for temporary files cannot be written to: ${error instanceof Error ? error.message : error}. Name another one in TMPDIR.`,
    );
  }
}

function loadDotEnv() {
  if (existsSync(".env")) process.loadEnvFile(".env");
}

/** @param {string[]} args */
function npm(...args) {
  // Uses npm's own script file if npm started this, because Windows cannot start npm without a shell.
  const cli = process.env.npm_execpath;
  return cli?.endsWith(".js") ? [process.execPath, cli, ...args] : ["npm", ...args];
}

/** The generated client belongs to the checkout, so only a change of the schema needs the tool that writes it. */
function needsTools() {
  return DEVELOPMENT_COMMANDS.has(command) || !isGenerated();
}

function isGenerated() {
  return existsSync(GENERATED_STAMP) && readFileSync(GENERATED_STAMP, "utf8").trim() === schemaHash();
}

function schemaHash() {
  const hash = createHash("sha256");
  for (const path of ["prisma/schema.prisma", "prisma/tables-generator.mjs"]) hash.update(readFileSync(path));
  return hash.update(JSON.parse(readFileSync("package.json", "utf8")).devDependencies.prisma).digest("hex");
}

/** @param {Preparation} preparation */
async function prepare({ title, run, finish }) {
  const [file = "", ...args] = run();
  const task = () => runToItsEnd(title, file, args);
  if (command === "demo") await demoStep("installing", task);
  else {
    process.stderr.write(`${title} …\n`);
    await task();
  }
  finish?.();
}

/**
 * @param {string} title
 * @param {string} file
 * @param {string[]} args
 */
async function runToItsEnd(title, file, args) {
  const child = spawn(file, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, CHECKPOINT_DISABLE: "1" },
  });
  const ended = once(child, "close").then(
    ([code, signal]) => (code === 0 ? null : `exit code ${code ?? signal}`),
    (error) => error.message,
  );
  const [problem, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (problem === null) return;
  process.stderr.write(`${output}${errors}`);
  fail(`${title} failed: ${problem}.`);
}

/**
 * @param {unknown} problem
 * @returns {never}
 */
function fail(problem) {
  console.error(problem);
  process.exit(1);
}
