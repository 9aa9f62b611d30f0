import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { findBrowser } from "@/e2e/support/browser";
import { startPostgres } from "@/e2e/support/postgres-server";
import { goFirst } from "@/e2e/support/priority";
import { has, linkOtherCommands, reasonWithout } from "@/e2e/support/programs.mjs";
import { PlainError } from "@/lib/failures";
import { type NodeProgram, THIS_NODE } from "./nodes";
import {
  type Counts,
  countEndToEndTests,
  type EndToEndReport,
  REPORTS,
  readReport,
  skippedByAll,
} from "./test-reports";

// The runs of the end-to-end tests, each by Playwright in a process of its own; e2e/playwright.config.ts says what is in each.

type Run = {
  title: string;
  name: string;
  filters?: string[];
  variables?: Record<string, string>;
  /** This one's, if none is named. */
  node?: NodeProgram | undefined;
};

/** @throws PlainError when there is no browser to test with, and Playwright cannot install one. */
export async function requireBrowser(): Promise<void> {
  if (process.env.CHROMIUM_PATH && !existsSync(process.env.CHROMIUM_PATH)) {
    throw new PlainError(`CHROMIUM_PATH names ${process.env.CHROMIUM_PATH}, which does not exist.`);
  }
  if (findBrowser()) return;
  console.log("No Chromium or Chrome was found; asking Playwright to install one …");
  await playwright(["install", "chromium"], THIS_NODE);
  if (!findBrowser()) {
    throw new PlainError(
      "The browser tests need Chromium or Chrome. Install one with your system's packages, or name it in CHROMIUM_PATH.",
    );
  }
}

/** All specs but those of load, or with words those whose path holds one: on PostgreSQL, and on the embedded database. */
export async function runEndToEnd(filters: string[]): Promise<Counts[]> {
  const variables = { E2E_LANE: filters.length > 0 ? "" : "main" };
  if (!hasServers()) {
    return [await run({ title: "the embedded database", name: "embedded", filters, variables }), notOnServers()];
  }
  const embedded = { ...variables, E2E_POSTGRES_FOLLOWS: "1" };
  return [
    await run({ title: "the embedded database", name: "embedded", filters, variables: embedded }),
    await runOnPostgres({ title: "PostgreSQL and Redis", name: "postgres", filters, variables }),
  ];
}

/** The specs of load, one test at a time. */
export async function runLoadLane(node?: NodeProgram): Promise<Counts[]> {
  const variables = { E2E_LANE: "load" };
  if (!hasServers()) return [await run({ title: "load", name: "load", variables, node }), notOnServers()];
  const embedded = { ...variables, E2E_POSTGRES_FOLLOWS: "1" };
  return [
    await run({ title: "load, the embedded database", name: "load-embedded", variables: embedded, node }),
    await runOnPostgres({ title: "load, PostgreSQL and Redis", name: "load-postgres", variables, node }),
  ];
}

/**
 * Everything, load included, and each spec that asks for programs once as on a machine that has none: what does not ask
 * fails there. That is the run on the embedded database, by the oldest Node; the newest runs the others, because it does so
 * in four fifths of the time. What the first one skips has to run in another one.
 */
export async function runAll(oldest: NodeProgram, newest: NodeProgram): Promise<Counts[]> {
  if (!hasServers()) return [...(await runEndToEnd([])), ...(await runLoadLane())];
  const variables = { E2E_LANE: "main" };
  const embedded = { ...variables, E2E_POSTGRES_FOLLOWS: "1" };
  const without = { title: "the embedded database, no programs", name: "embedded", node: oldest };
  const counted = [
    await runWithoutPrograms({ ...without, variables: { ...embedded, E2E_ASKING: specsThatAsk().join() } }),
    await runOnPostgres({ title: "PostgreSQL and Redis", name: "postgres", variables, node: newest }),
    ...(await runLoadLane(newest)),
  ];
  const skipped = skippedByAll(reportOf(without.name), ["postgres", "load-embedded"].map(reportOf));
  return [...counted, { passed: 0, failures: [], unsteady: [], skipped }];
}

async function runWithoutPrograms(whole: Run): Promise<Counts> {
  return withoutPrograms((variables) => run({ ...whole, variables: { ...whole.variables, ...variables } }));
}

/** Runs tests with the variables of a machine that has no programs. What they skip has to run elsewhere. */
export async function withoutPrograms(test: (variables: Record<string, string>) => Promise<Counts>): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), "console-commands-"));
  try {
    linkOtherCommands(folder);
    return { ...(await test({ PATH: folder, WITHOUT_PROGRAMS: "1" })), skipped: [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function specsThatAsk(): string[] {
  const specs = readdirSync("e2e", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".spec.ts"));
  return specs.filter((file) => /\bneeds(?:PostgresRun)?\(/.test(readFileSync(join("e2e", file), "utf8")));
}

function hasServers(): boolean {
  return has("postgres") && has("redis-server");
}

function notOnServers(): Counts {
  console.log("\nNo end-to-end test ran on a PostgreSQL server and Redis.");
  const missing = (["postgres", "redis-server"] as const).filter((name) => !has(name));
  return { passed: 0, failures: [], unsteady: [], skipped: [missing.map(reasonWithout).join("; ")] };
}

async function runOnPostgres({ variables, ...rest }: Run): Promise<Counts> {
  const postgres = await startPostgres();
  try {
    return await run({ ...rest, variables: { ...variables, E2E_POSTGRES_URL: postgres.url } });
  } finally {
    await postgres.stop();
  }
}

async function run({ title, name, filters = [], variables = {}, node = THIS_NODE }: Run): Promise<Counts> {
  console.log(`\n── End-to-end tests on Node ${node.version}: ${title}`);
  // The filters may match tests of the other engine only.
  const words = filters.length > 0 ? ["--pass-with-no-tests", ...filters] : [];
  const code = await playwright(["test", "--config", "e2e/playwright.config.ts", ...words], node, {
    // Hundreds of processes load the same code. A Node that knows it (22 and later) compiles it once.
    NODE_COMPILE_CACHE: resolve(REPORTS, "compiled"),
    E2E_REPORT: reportFile(name),
    E2E_OUTPUT: `../${REPORTS}/${name}`,
    E2E_GOES_FIRST: goFirst() ? "1" : "",
    ...variables,
  });
  const counts = countEndToEndTests(reportOf(name));
  const isUnexplained = code !== 0 && counts.failures.length === 0;
  return isUnexplained ? { ...counts, failures: [`${title}: the runner ended with ${code}.`] } : counts;
}

const reportFile = (name: string) => join(REPORTS, `e2e-${name}.json`);

const reportOf = (name: string) => readReport<EndToEndReport>(reportFile(name));

function playwright(args: string[], node: NodeProgram, variables: Record<string, string> = {}): Promise<number | null> {
  const child = spawn(node.path, ["node_modules/playwright/cli.js", ...args], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", ...variables },
  });
  return new Promise((resolve) => child.on("close", resolve));
}
