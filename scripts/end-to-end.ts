import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBrowser } from "@/e2e/support/browser";
import { startPostgres } from "@/e2e/support/postgres-server";
import { goFirst } from "@/e2e/support/priority";
import { has, linkOtherCommands, reasonWithout } from "@/e2e/support/programs.mjs";
import { PlainError } from "@/lib/failures";
import { type Counts, countEndToEndTests, REPORTS, readReport } from "./test-reports";

// The runs of the end-to-end tests, each by Playwright in a process of its own; e2e/playwright.config.ts says what is in each.

type Run = { title: string; name: string; filters?: string[]; variables?: Record<string, string> };

/** @throws PlainError when there is no browser to test with, and Playwright cannot install one. */
export async function requireBrowser(): Promise<void> {
  if (process.env.CHROMIUM_PATH && !existsSync(process.env.CHROMIUM_PATH)) {
    throw new PlainError(`CHROMIUM_PATH names ${process.env.CHROMIUM_PATH}, which does not exist.`);
  }
  if (findBrowser()) return;
  console.log("No Chromium or Chrome was found; asking Playwright to install one …");
  await playwright(["install", "chromium"]);
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
export async function runLoadLane(): Promise<Counts[]> {
  const variables = { E2E_LANE: "load" };
  if (!hasServers()) return [await run({ title: "load", name: "load", variables }), notOnServers()];
  const embedded = { ...variables, E2E_POSTGRES_FOLLOWS: "1" };
  return [
    await run({ title: "load, the embedded database", name: "load-embedded", variables: embedded }),
    await runOnPostgres({ title: "load, PostgreSQL and Redis", name: "load-postgres", variables }),
  ];
}

/**
 * The specs that ask for programs, as on a machine that has none: what does not ask fails. That the rest is skipped is
 * right here, and only the report says so.
 */
export async function runWithoutPrograms(): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), "console-commands-"));
  try {
    linkOtherCommands(folder);
    const variables = { PATH: folder, WITHOUT_PROGRAMS: "1", E2E_LANE: "main" };
    const filters = specsThatAsk();
    const { skipped, ...counts } = await run({ title: "no programs", name: "without-programs", filters, variables });
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

async function run({ title, name, filters = [], variables = {} }: Run): Promise<Counts> {
  console.log(`\n── End-to-end tests: ${title}`);
  const report = join(REPORTS, `e2e-${name}.json`);
  // The filters may match tests of the other engine only.
  const words = filters.length > 0 ? ["--pass-with-no-tests", ...filters] : [];
  const code = await playwright(["test", "--config", "e2e/playwright.config.ts", ...words], {
    E2E_REPORT: report,
    E2E_OUTPUT: `../${REPORTS}/${name}`,
    E2E_GOES_FIRST: goFirst() ? "1" : "",
    ...variables,
  });
  const counts = countEndToEndTests(readReport(report));
  const isUnexplained = code !== 0 && counts.failures.length === 0;
  return isUnexplained ? { ...counts, failures: [`${title}: the runner ended with ${code}.`] } : counts;
}

function playwright(args: string[], variables: Record<string, string> = {}): Promise<number | null> {
  const child = spawn(process.execPath, ["node_modules/playwright/cli.js", ...args], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", ...variables },
  });
  return new Promise((resolve) => child.on("close", resolve));
}
