import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PlainError } from "@/lib/failures";
import { DIST_DIRS, isBuilt } from "./build";
import { waitForDemo } from "./demo-output";
import { requireBrowser, runEmbedded, runEndToEnd, runLoadLane } from "./end-to-end";
import { type Counts, conclude, countUnitTests, failed, REPORTS, readReport } from "./test-reports";

/** The oldest Node that package.json supports. */
const OLDEST_NODE = "20.19.0";

/** What newcomers meet first, on the database that they meet it on. */
const MET_EMBEDDED = ["authentication", "ingest", "rate-limit", "visibility"];

/**
 * `npm test`: everything but load, in the order in which it fails fastest; a level that fails does not keep the others from
 * running. Words after `--` go to the end-to-end runner alone (`npm test -- visibility`). Where CI is set nothing may be
 * skipped, and what takes minutes, the embedded database, load and the oldest Node take part.
 */
export async function main(filters: string[]): Promise<number> {
  rmSync(REPORTS, { recursive: true, force: true });
  await requireBrowser();
  if (filters.length > 0) {
    return conclude([...(await build()), ...(await level("End-to-end tests", () => runEndToEnd(filters)))]);
  }
  const next = "node_modules/next/dist/bin/next";
  const counted = [
    await step("Format and lint", ["node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings", "."]),
    await step("Route types", [next, "typegen"], { CONSOLE_DIST_DIR: DIST_DIRS.test }),
    await step("Types", ["node_modules/typescript/bin/tsc", "--noEmit"]),
    // In parallel, because each leaves cores idle that the other can use.
    ...(await Promise.all([level("Unit tests and API", () => runUnitTests(["unit", "own-process", "api"])), build()])),
    await level("Pages without JavaScript", () => runUnitTests(["site"])),
    await level("End-to-end tests", () => runEndToEnd([])),
  ];
  if (process.env.CI) {
    counted.push(await level("What takes minutes", () => runUnitTests(["slow"])));
    counted.push(await level("The embedded database", testEmbedded));
    counted.push(await level("Load", runLoadLane));
    counted.push(await level(`Unit tests and the demo on Node ${OLDEST_NODE}`, testOldestNode));
  }
  return conclude(counted.flat());
}

/** Whatever ends a level early counts as its failure, and the others run all the same. */
export async function level(title: string, test: () => Promise<Counts[]>): Promise<Counts[]> {
  console.log(`\n── ${title}`);
  try {
    return await test();
  } catch (error) {
    console.error(error);
    return [failed(`${title}: ${error}`)];
  }
}

function step(title: string, command: string[], variables: Record<string, string> = {}): Promise<Counts[]> {
  return level(title, async () => {
    await mustRun(process.execPath, command, variables);
    return [];
  });
}

/** Makes the build that the end-to-end tests run against, unless it is up to date. */
export async function build(): Promise<Counts[]> {
  if (isBuilt(DIST_DIRS.test)) return [];
  return step("Build", ["scripts/run.mjs", "build"], { CONSOLE_DIST_DIR: DIST_DIRS.test });
}

type UnitRun = { node?: string; words?: readonly string[]; variables?: Record<string, string> };

/** The tests of some projects of vitest.config.ts. */
export async function runUnitTests(
  projects: readonly string[],
  { node, words = [], variables }: UnitRun = {},
): Promise<Counts[]> {
  const report = join(REPORTS, "unit.json");
  rmSync(report, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile=${report}`];
  const chosen = [...projects.map((name) => `--project=${name}`), ...words];
  await run(node ?? process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...reporters, ...chosen], variables);
  return [countUnitTests(readReport(report))];
}

async function testEmbedded(): Promise<Counts[]> {
  const words = MET_EMBEDDED.map((name) => `e2e/api/${name}.test.ts`);
  const api = await runUnitTests(["api"], { words, variables: { TEST_DATABASE_URL: "embedded" } });
  return [...api, ...(await runEmbedded())];
}

async function testOldestNode(): Promise<Counts[]> {
  const dir = mkdtempSync(join(tmpdir(), "console-node-"));
  try {
    // Tests start it as other users as well.
    chmodSync(dir, 0o755);
    const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
    await mustRun("npm", ["install", "--prefix", dir, ...quiet, `node@${OLDEST_NODE}`]);
    const node = join(dir, "node_modules", "node", "bin", "node");
    // Without the long random runs of CI: no Node changes what they find.
    const counted = await runUnitTests(["unit", "own-process"], { node, variables: { CI: "" } });
    await runDemo(node);
    return [...counted, { passed: 1, failures: [], unsteady: [], skipped: [] }];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/**
 * Starts the demo as a newcomer does, on data of its own and the tests' build, until its own curl line has been answered.
 * @throws PlainError when it does not start, or the answer is not 200.
 */
async function runDemo(node: string): Promise<void> {
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
    if (status !== 200) throw new PlainError(`The demo answered ${status}.`);
  } finally {
    demo.kill("SIGINT");
    await ended;
    rmSync(dir, { recursive: true, force: true });
  }
}

async function mustRun(program: string, args: string[], variables: Record<string, string> = {}): Promise<void> {
  const code = await run(program, args, variables);
  if (code !== 0) throw new PlainError(`${args.join(" ")} ended with ${code}.`);
}

async function run(program: string, args: string[], variables: Record<string, string> = {}): Promise<number | null> {
  const child = spawn(program, args, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", ...variables },
  });
  const [code] = await once(child, "close");
  return code as number | null;
}
