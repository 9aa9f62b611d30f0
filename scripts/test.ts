import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBrowser } from "@/e2e/support/browser";
import { PlainError } from "@/lib/failures";
import { DIST_DIRS, isBuilt } from "./build";
import { waitForDemo } from "./demo-output";
import { conclude, failure, NOTHING, ofPlaywright, ofVitest, RESULTS, type Results, readResults } from "./test-results";

/** The oldest Node that package.json supports. */
const OLDEST_NODE = "20.19.0";
/** What newcomers meet first, on the database that they meet it on. */
const MET_EMBEDDED = ["authentication", "ingest", "rate-limit", "server-keys", "visibility"];
const NO_BROWSER = "no Chromium or Chrome (apt install chromium, or name one in CHROMIUM_PATH)";

type Variables = Record<string, string>;

/**
 * `npm test`, in the order in which it fails fastest; a level that fails does not keep the others from running. `--all`
 * (`npm run test:all`, CI) adds what needs other programs, minutes, the embedded database, the oldest Node or a machine to
 * itself. Words run the tests whose path holds one of them, at whichever level they live (`npm test -- visibility`).
 */
export async function main(args: string[]): Promise<number> {
  const all = args.includes("--all");
  const words = args.filter((arg) => arg !== "--all");
  rmSync(RESULTS, { recursive: true, force: true });
  if (words.length > 0) {
    const none = [...words, "--passWithNoTests"];
    const built = await build();
    return conclude([
      built,
      await vitest("Vitest", none),
      await playwright("Playwright", [...words, "--pass-with-no-tests"]),
    ]);
  }
  const results = [
    await step("Format and lint", ["node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings", "."]),
    await step("Route types", ["node_modules/next/dist/bin/next", "typegen"], { CONSOLE_DIST_DIR: DIST_DIRS.test }),
    await step("Types", ["node_modules/typescript/bin/tsc", "--noEmit"]),
    await build(),
    await vitest("Units and API", projects("unit", "own-process", "api", ...(all ? ["programs"] : []))),
    await vitest("Pages without JavaScript", projects("site")),
    await playwright(
      all ? "Pages in a browser, and operations" : "Pages in a browser",
      all ? projects("browser", "waiting", "operations") : projects("browser"),
    ),
  ];
  if (all) {
    results.push(
      await vitest("What takes minutes", projects("slow")),
      await vitest(
        "On the embedded database",
        [...projects("api"), ...MET_EMBEDDED.map((name) => `e2e/api/${name}.test.ts`)],
        { TEST_DATABASE_URL: "embedded" },
      ),
      // These find out what the console does in its own time.
      await playwright("Load", projects("load"), { CONSOLE_LONGEST_WAIT: "" }),
      ...(await onOldestNode()),
    );
  }
  return conclude(results);
}

const projects = (...names: string[]) => names.map((name) => `--project=${name}`);

/** Makes the build that tests run against, unless it is up to date. */
export async function build(): Promise<Results> {
  if (isBuilt(DIST_DIRS.test)) return NOTHING;
  return step("Build", ["scripts/run.mjs", "build"], { CONSOLE_DIST_DIR: DIST_DIRS.test });
}

/** Runs Vitest with these arguments. */
export async function vitest(title: string, args: string[], env: Variables = {}, node?: string): Promise<Results> {
  const report = fresh("vitest.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile=${report}`];
  await run(title, ["node_modules/vitest/vitest.mjs", "run", ...reporters, ...args], env, node);
  return readResults(report, ofVitest);
}

/** Runs Playwright with these arguments, or skips it where there is no browser and none can be installed. */
export async function playwright(title: string, args: string[], env: Variables = {}): Promise<Results> {
  const { CHROMIUM_PATH } = process.env;
  if (CHROMIUM_PATH && !existsSync(CHROMIUM_PATH))
    throw new PlainError(`CHROMIUM_PATH names ${CHROMIUM_PATH}, which does not exist.`);
  const cli = "node_modules/playwright/cli.js";
  if (!findBrowser())
    await run("No Chromium or Chrome was found; asking Playwright to install one", [cli, "install", "chromium"]);
  if (!findBrowser()) return { ...NOTHING, skipped: [NO_BROWSER] };
  // As playwright.config.ts names it.
  const report = fresh("playwright.json");
  await run(title, [cli, "test", ...args], env);
  return readResults(report, ofPlaywright);
}

/** The path of a report, of which nothing is left of the run before. */
function fresh(name: string): string {
  const report = join(RESULTS, name);
  rmSync(report, { force: true });
  return report;
}

async function onOldestNode(): Promise<Results[]> {
  const dir = mkdtempSync(join(tmpdir(), "console-node-"));
  try {
    const install = ["install", "--prefix", dir, "--no-audit", "--no-fund", "--loglevel=error", `node@${OLDEST_NODE}`];
    if ((await run(`Node ${OLDEST_NODE}`, install, {}, "npm")) !== 0)
      return [failure(`Node ${OLDEST_NODE} was not installed`)];
    const node = join(dir, "node_modules", "node", "bin", "node");
    // Without the long random runs of CI, and without programs that are no JavaScript: no Node changes what they find.
    const words = [...projects("unit", "own-process"), ...["app/", "docs/", "lib/", "prisma/", "scripts/", "server/"]];
    const units = await vitest(`Units on Node ${OLDEST_NODE}`, words, { CI: "" }, node);
    return [units, await runDemo(node)];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Starts the demo as a newcomer does, on data of its own and the tests' build, until its own curl line has been answered. */
async function runDemo(node: string): Promise<Results> {
  const dir = mkdtempSync(join(tmpdir(), "console-demo-"));
  const demo = spawn(node, ["scripts/run.mjs", "demo"], {
    env: { ...process.env, DATABASE_URL: "", DATA_DIR: dir, CONSOLE_DIST_DIR: DIST_DIRS.test, HOST: "", PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(demo, "exit");
  try {
    const output = await waitForDemo(demo);
    const [, url = "", header = ""] = /curl -sS (\S+) -H "Authorization: (.*)"/.exec(output) ?? [];
    const { status } = await fetch(url, { headers: { Authorization: header } });
    return status === 200 ? { ...NOTHING, passed: 1 } : failure(`the demo answered ${status}`);
  } catch (error) {
    return failure(`the demo: ${error}`);
  } finally {
    demo.kill("SIGINT");
    await ended;
    rmSync(dir, { recursive: true, force: true });
  }
}

async function step(title: string, args: string[], env: Variables = {}): Promise<Results> {
  const code = await run(title, args, env);
  return code === 0 ? NOTHING : failure(`${title} ended with ${code}`);
}

async function run(title: string, args: string[], own: Variables = {}, program = process.execPath): Promise<unknown> {
  console.log(`\n── ${title}`);
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", ...own };
  const [code] = await once(spawn(program, args, { stdio: ["ignore", "inherit", "inherit"], env }), "close");
  return code;
}
