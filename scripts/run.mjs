// The way into every command of package.json. Plain JavaScript and nothing but Node, because on a fresh clone there is
// nothing else: it checks Node, installs what is missing, and hands over to the TypeScript file of the command's name.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { withSetupLock } from "./lock.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

const [command, ...args] = process.argv.slice(2);
requireNode();
loadDotEnv();
const PREPARATIONS = [
  {
    title: "Installing packages",
    stamp: "node_modules/.console-install",
    inputs: ["package-lock.json"],
    run: npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"),
  },
  {
    title: "Generating the client",
    stamp: "lib/generated/.console-generate",
    inputs: ["prisma/schema.prisma", "package-lock.json"],
    run: [process.execPath, "node_modules/prisma/build/index.js", "generate"],
  },
];
// Asked again inside the lock: another command may have done it meanwhile. A finished checkout may be read-only.
if (!PREPARATIONS.every(isDone)) {
  withSetupLock(() => {
    for (const preparation of PREPARATIONS) if (!isDone(preparation)) prepare(preparation);
  });
}

const { register } = await import("tsx/esm/api");
register();
try {
  const { main } = await import(`./${command}.ts`);
  await main(args);
} catch (error) {
  fail(isExpected(error) ? error.message : error);
}

function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const isSupported = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24;
  if (!isSupported) {
    fail(`This needs Node 20.19 or newer (20, 22.12, or 24 and later); this is Node ${process.versions.node}.`);
  }
}

function loadDotEnv() {
  if (existsSync(".env")) process.loadEnvFile(".env");
}

function npm(...args) {
  // Run by npm, this is npm's own file; on Windows, npm itself cannot be started without a shell.
  const cli = process.env.npm_execpath;
  return cli?.endsWith(".js") ? [process.execPath, cli, ...args] : ["npm", ...args];
}

/** Whether it was done with the same inputs. */
function isDone({ stamp, inputs }) {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === keyOf(inputs);
}

function prepare({ title, stamp, inputs, run: [file, ...args] }) {
  process.stderr.write(`${title} …\n`);
  const result = spawnSync(file, args, { encoding: "utf8", env: { ...process.env, CHECKPOINT_DISABLE: "1" } });
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}`);
    fail(`${title} failed: ${result.error?.message ?? `exit code ${result.status}`}.`);
  }
  writeFileSync(stamp, keyOf(inputs));
}

function keyOf(inputs) {
  const hash = createHash("sha256");
  for (const path of inputs) hash.update(readFileSync(path));
  return hash.digest("hex");
}

/** Errors whose message is written for whoever runs the command; anything else deserves its stack. */
function isExpected(error) {
  return ["EnvError", "CommandError", "InvalidInputError", "ForeignDatabaseError"].includes(error?.name);
}

function fail(problem) {
  console.error(problem);
  process.exit(1);
}
