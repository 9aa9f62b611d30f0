import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { findBrowser } from "@/e2e/support/browser";
import { startPostgres } from "@/e2e/support/postgres-server";
import { goFirst } from "@/e2e/support/priority";
import { has, reasonWithout } from "@/e2e/support/programs.mjs";
import { PlainError } from "@/lib/failures";
import { type Counts, countEndToEndTests, type EndToEndReport, NOTHING, REPORTS, readReport } from "./test-reports";

// The runs of the end-to-end tests, each by Playwright in a process of its own; e2e/playwright.config.ts says what is in each.

type Run = { name: string; lane: "all" | "main" | "load" | "embedded"; filters?: string[] };

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

/**
 * All specs but those of load, or with words those whose path holds one: on PostgreSQL and Redis, or on the embedded
 * database where they are not installed.
 */
export function runEndToEnd(filters: string[]): Promise<Counts[]> {
  return runOnServers({ name: "e2e", lane: filters.length > 0 ? "all" : "main", filters });
}

/** The specs of load, one test at a time. */
export function runLoadLane(): Promise<Counts[]> {
  return runOnServers({ name: "load", lane: "load" });
}

/** What newcomers meet first, on the embedded database that they meet it on. */
export async function runEmbedded(): Promise<Counts[]> {
  return [await run({ name: "embedded", lane: "embedded" })];
}

async function runOnServers(whole: Run): Promise<Counts[]> {
  const missing = (["postgres", "redis-server"] as const).filter((name) => !has(name));
  if (missing.length > 0) {
    console.log("PostgreSQL or Redis is not installed: the tests run on the embedded database.");
    return [await run(whole), { ...NOTHING, skipped: [missing.map(reasonWithout).join("; ")] }];
  }
  const postgres = await startPostgres();
  try {
    return [await run(whole, { E2E_POSTGRES_URL: postgres.url })];
  } finally {
    await postgres.stop();
  }
}

async function run({ name, lane, filters = [] }: Run, variables: Record<string, string> = {}): Promise<Counts> {
  const report = join(REPORTS, `${name}.json`);
  const words = filters.length > 0 ? ["--pass-with-no-tests", ...filters] : [];
  const code = await playwright(["test", "--config", "e2e/playwright.config.ts", ...words], {
    // Hundreds of processes load the same code. A Node that knows it (22 and later) compiles it once.
    NODE_COMPILE_CACHE: resolve(REPORTS, "compiled"),
    E2E_LANE: lane,
    E2E_REPORT: report,
    E2E_OUTPUT: `../${REPORTS}/${name}`,
    E2E_GOES_FIRST: goFirst() ? "1" : "",
    ...variables,
  });
  const counts = countEndToEndTests(readReport<EndToEndReport>(report));
  const isUnexplained = code !== 0 && counts.failures.length === 0;
  return isUnexplained ? { ...counts, failures: [`${name}: the runner ended with ${code}.`] } : counts;
}

function playwright(args: string[], variables: Record<string, string> = {}): Promise<number | null> {
  const child = spawn(process.execPath, ["node_modules/playwright/cli.js", ...args], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", ...variables },
  });
  return new Promise((resolve) => child.on("close", resolve));
}
