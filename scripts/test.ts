import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { PlainError } from "@/lib/failures";
import { DIST_DIRS, isBuilt } from "./build";
import { requireBrowser, runAll, runEndToEnd, withoutPrograms } from "./end-to-end";
import { installOldestAndNewest, type NodeProgram, runDemo, THIS_NODE } from "./nodes";
import { type Counts, conclude, countUnitTests, REPORTS, readReport } from "./test-reports";

/**
 * Unit tests whose result does not depend on Node, and that take two thirds of the time of all: those of the type check
 * over a copy of the project, and pure functions compared with a model over random histories. They run on the newest Node,
 * which does them in half the time.
 */
const ON_ONE_NODE = [
  "lib/api/add-endpoint",
  "lib/api/published-text",
  "lib/database/generated-client",
  "lib/database/renamed-columns",
  "lib/notices/rules",
  "lib/servers/events/conditions",
  "lib/servers/events/silence",
  "lib/servers/telemetry/add-measurement",
];

/**
 * `npm test`: everything but load, in the order in which it fails fastest. Words after `--` go to the end-to-end runner
 * alone (`npm test -- visibility`). With REQUIRE_ALL=1 nothing may be skipped, and load, a machine without programs, and
 * the oldest and the newest Node that are supported take part.
 */
export async function main(filters: string[]): Promise<number> {
  const requireAll = process.env.REQUIRE_ALL === "1";
  const counted: Counts[] = [];
  rmSync(REPORTS, { recursive: true, force: true });

  await requireBrowser();
  const isAll = requireAll && filters.length === 0;
  const others = isAll ? installOldestAndNewest() : null;
  // Awaited below; until then its failure is not unhandled.
  others?.catch(() => {});
  if (filters.length === 0) {
    await step("Format and lint", ["node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings", "."]);
    await step("Route types", ["node_modules/next/dist/bin/next", "typegen"], { CONSOLE_DIST_DIR: DIST_DIRS.test });
    await step("Types", ["node_modules/typescript/bin/tsc", "--noEmit"]);
    counted.push(...(others ? await testOldestAndNewest(...(await others)) : await testThisNode()));
  } else {
    await build(THIS_NODE);
  }
  if (!isBuilt(DIST_DIRS.test)) throw new PlainError("The build failed.");
  counted.push(...(others ? await runAll(...(await others)) : await runEndToEnd(filters)));
  return conclude(counted);
}

async function step(title: string, command: string[], variables: Record<string, string> = {}): Promise<void> {
  console.log(`\n── ${title}`);
  const code = await run(command, variables);
  if (code !== 0) throw new PlainError(`${title}: failed.`);
}

async function testThisNode(): Promise<Counts[]> {
  // In parallel, because each leaves cores idle that the other can use.
  const [counts] = await Promise.all([runUnitTests(THIS_NODE), build(THIS_NODE)]);
  return [counts];
}

/**
 * The unit tests on both, but for some; and the demo on both, from the newest one's build, which the end-to-end tests use as well: a
 * build does not depend on the Node that made it.
 */
async function testOldestAndNewest(oldest: NodeProgram, newest: NodeProgram): Promise<Counts[]> {
  // What does not ask for a program fails on the oldest one; what is skipped there runs on the newest one.
  const units = async () => [
    await withoutPrograms((variables) => runUnitTests(oldest, variables, ON_ONE_NODE)),
    await runUnitTests(newest),
  ];
  const demos = async () => {
    await build(newest);
    return isBuilt(DIST_DIRS.test) ? [await tryDemo(oldest), await tryDemo(newest)] : [];
  };
  return (await Promise.all([units(), demos()])).flat();
}

async function tryDemo(node: NodeProgram): Promise<Counts> {
  console.log(`\n── The demo on Node ${node.version}`);
  try {
    await runDemo(node);
    return { passed: 1, failures: [], unsteady: [], skipped: [] };
  } catch (error) {
    console.error(error);
    return { passed: 0, failures: [`the demo on Node ${node.version}: ${error}`], unsteady: [], skipped: [] };
  }
}

/** Makes the build that the end-to-end tests run against, unless it is up to date. */
async function build(node: NodeProgram): Promise<void> {
  if (isBuilt(DIST_DIRS.test)) return;
  await run(["scripts/run.mjs", "build"], { CONSOLE_DIST_DIR: DIST_DIRS.test }, node);
}

async function runUnitTests(
  node: NodeProgram,
  variables: Record<string, string> = {},
  without: readonly string[] = [],
): Promise<Counts> {
  console.log(`\n── Unit tests on Node ${node.version}`);
  const report = join(REPORTS, `unit-${node.version}.json`);
  const excluded = without.map((name) => `--exclude=${name}.test.ts`);
  const projects = ["unit", "own-process", "api"].map((name) => `--project=${name}`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile=${report}`];
  await run(["node_modules/vitest/vitest.mjs", "run", ...projects, ...reporters, ...excluded], variables, node);
  return countUnitTests(readReport(report));
}

function run(command: string[], variables: Record<string, string> = {}, node = THIS_NODE): Promise<number | null> {
  const child = spawn(node.path, command, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", ...variables },
  });
  return new Promise((resolve) => child.on("close", resolve));
}
