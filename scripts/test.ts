import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBrowser } from "@/e2e/support/browser";
import { startPostgres } from "@/e2e/support/postgres-server";
import { goFirst } from "@/e2e/support/priority";
import { has, linkOtherCommands, reasonWithout } from "@/e2e/support/programs.mjs";
import { PlainError } from "@/lib/failures";
import { DIST_DIRS, isBuilt } from "./build";
import { installOldestAndNewest, type NodeProgram, runDemo } from "./nodes";
import { type Counts, countEndToEndTests, countUnitTests, sumUpSkipped } from "./test-reports";

const REPORTS = "test-results";
const THIS_NODE: NodeProgram = { version: process.versions.node, path: process.execPath };

/**
 * `npm test`: everything, in the order in which it fails fastest. Words after `--` go to the end-to-end runner alone
 * (`npm test -- visibility`). With REQUIRE_ALL=1 nothing may be skipped, and the oldest and the newest Node that are
 * supported take part.
 */
export async function main(filters: string[]): Promise<number> {
  const requireAll = process.env.REQUIRE_ALL === "1";
  const total: Counts = { passed: 0, failed: 0, skipped: [] };
  const add = ({ passed, failed, skipped }: Counts) => {
    total.passed += passed;
    total.failed += failed;
    total.skipped.push(...skipped);
  };
  rmSync(REPORTS, { recursive: true, force: true });

  await requireBrowser();
  if (filters.length === 0) {
    const others = requireAll ? installOldestAndNewest() : null;
    // Awaited below; until then its failure is not unhandled.
    others?.catch(() => {});
    await step("Format and lint", ["node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings", "."]);
    await step("Route types", ["node_modules/next/dist/bin/next", "typegen"], { CONSOLE_DIST_DIR: DIST_DIRS.test });
    await step("Types", ["node_modules/typescript/bin/tsc", "--noEmit"]);
    for (const counts of others ? await testOldestAndNewest(...(await others)) : await testThisNode()) add(counts);
  } else {
    await build(THIS_NODE);
  }
  if (!isBuilt(DIST_DIRS.test)) throw new PlainError("The build failed.");
  const postgresFollows = has("postgres") && has("redis-server");
  add(
    await runEndToEnd("embedded database", "embedded", filters, { E2E_POSTGRES_FOLLOWS: postgresFollows ? "1" : "" }),
  );
  if (postgresFollows) add(await runEndToEndOnPostgres(filters));
  if (requireAll && filters.length === 0) add(await runEndToEndWithoutPrograms());
  if (total.passed + total.failed + total.skipped.length === 0) throw new PlainError("No test is named like that.");
  if (!postgresFollows) add(nothingToRunOn());

  console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped.length} skipped`);
  for (const line of sumUpSkipped(total.skipped)) console.log(line);
  if (requireAll && total.skipped.length > 0) throw new PlainError("Tests were skipped, and REQUIRE_ALL allows none.");
  return total.failed > 0 ? 1 : 0;
}

async function requireBrowser(): Promise<void> {
  if (process.env.CHROMIUM_PATH && !existsSync(process.env.CHROMIUM_PATH)) {
    throw new PlainError(`CHROMIUM_PATH names ${process.env.CHROMIUM_PATH}, which does not exist.`);
  }
  if (findBrowser()) return;
  console.log("No Chromium or Chrome was found; asking Playwright to install one …");
  await run(["node_modules/playwright/cli.js", "install", "chromium"]);
  if (!findBrowser()) {
    throw new PlainError(
      "The browser tests need Chromium or Chrome. Install one with your system's packages, or name it in CHROMIUM_PATH.",
    );
  }
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
 * The unit tests on both; and the demo on both, from the newest one's build, which the end-to-end tests use as well: a
 * build does not depend on the Node that made it.
 */
async function testOldestAndNewest(oldest: NodeProgram, newest: NodeProgram): Promise<Counts[]> {
  const units = async () => [await runUnitTests(oldest), await runUnitTests(newest)];
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
    return { passed: 1, failed: 0, skipped: [] };
  } catch (error) {
    console.error(error);
    return { passed: 0, failed: 1, skipped: [] };
  }
}

/** Makes the build that the end-to-end tests run against, unless it is up to date. */
async function build(node: NodeProgram): Promise<void> {
  if (isBuilt(DIST_DIRS.test)) return;
  await run(["scripts/run.mjs", "build"], { CONSOLE_DIST_DIR: DIST_DIRS.test }, node);
}

async function runUnitTests(node: NodeProgram): Promise<Counts> {
  console.log(`\n── Unit tests on Node ${node.version}`);
  const report = join(REPORTS, `unit-${node.version}.json`);
  await run(
    ["node_modules/vitest/vitest.mjs", "run", "--reporter=default", "--reporter=json", `--outputFile=${report}`],
    {},
    node,
  );
  return countUnitTests(readReport(report));
}

async function runEndToEndOnPostgres(filters: string[]): Promise<Counts> {
  const postgres = await startPostgres();
  try {
    return await runEndToEnd("PostgreSQL and Redis", "postgres", filters, { E2E_POSTGRES_URL: postgres.url });
  } finally {
    await postgres.stop();
  }
}

/**
 * The specs that ask for programs, as on a machine that has none: what does not ask fails. That the rest is skipped is
 * right here, and only the report says so.
 */
async function runEndToEndWithoutPrograms(): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), "console-commands-"));
  try {
    linkOtherCommands(folder);
    const variables = { PATH: folder, WITHOUT_PROGRAMS: "1" };
    const { skipped, ...counts } = await runEndToEnd("no programs", "without-programs", specsThatAsk(), variables);
    console.log(`${skipped.length} were skipped, as they should be.`);
    return { ...counts, skipped: [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function specsThatAsk(): string[] {
  const specs = readdirSync("e2e", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".spec.ts"));
  return specs.filter((file) => /\bneeds\w*\(/.test(readFileSync(join("e2e", file), "utf8")));
}

function nothingToRunOn(): Counts {
  console.log("\nThe end-to-end tests were not repeated on a PostgreSQL server and Redis.");
  const reasons = (["postgres", "redis-server"] as const).filter((name) => !has(name)).map(reasonWithout);
  return { passed: 0, failed: 0, skipped: [reasons.join("; ")] };
}

async function runEndToEnd(
  title: string,
  name: string,
  filters: string[],
  variables: Record<string, string> = {},
): Promise<Counts> {
  console.log(`\n── End-to-end tests on ${title}`);
  const report = join(REPORTS, `e2e-${name}.json`);
  const code = await run(
    [
      "node_modules/playwright/cli.js",
      "test",
      "--config",
      "e2e/playwright.config.ts",
      // The filters may match tests of the other engine only.
      ...(filters.length > 0 ? ["--pass-with-no-tests", ...filters] : []),
    ],
    {
      E2E_REPORT: report,
      E2E_OUTPUT: `../${REPORTS}/${name}`,
      E2E_GOES_FIRST: goFirst() ? "1" : "",
      ...variables,
    },
  );
  const counts = countEndToEndTests(readReport(report));
  return { ...counts, failed: code === 0 ? counts.failed : Math.max(1, counts.failed) };
}

function readReport<Report>(file: string): Report {
  if (!existsSync(file)) throw new PlainError(`The test runner ended without its report ${file}.`);
  return JSON.parse(readFileSync(file, "utf8")) as Report;
}

function run(
  command: string[],
  variables: Record<string, string> = {},
  node: NodeProgram = THIS_NODE,
): Promise<number | null> {
  const child = spawn(node.path, command, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", ...variables },
  });
  return new Promise((resolve) => child.on("close", resolve));
}
