import { defineConfig } from "playwright/test";
import { findBrowser } from "./support/browser";
import { NEXT_DOOR } from "./support/doors";
import { FACT, WHOLE_TEST } from "./support/patience";
import { stepBack } from "./support/priority";

const executablePath = findBrowser() ?? undefined;

/**
 * Every test runs on the embedded database and on PostgreSQL, except for two tags. `@one-engine` marks tests whose result
 * does not depend on the engine: they bring their own servers, check only pages or commands, or compare the API with its
 * document, clients and recipes. They run on PostgreSQL if that run follows, because a new database is cheap there.
 * `@embedded-only` marks tests that need the second console behind Next's router, which only the embedded run has, or
 * that complement an `@one-engine` test.
 */
const { E2E_POSTGRES_URL, E2E_POSTGRES_FOLLOWS } = process.env;
const notHere = E2E_POSTGRES_URL ? [/@embedded-only/] : E2E_POSTGRES_FOLLOWS ? [/@one-engine/] : [];

/** One more than the smallest machine has cores, because a test often waits for its browser or the console. */
const BUSY = 3;
const WAITING = 2;

// The workers and their browsers step back behind the consoles and their database. Every worker loads this file.
if (process.env.TEST_WORKER_INDEX !== undefined) stepBack();

export default defineConfig({
  testDir: ".",
  globalSetup: "./support/global-setup.ts",
  outputDir: process.env.E2E_OUTPUT ?? "../test-results/e2e",
  // The same on every system and engine.
  snapshotPathTemplate: "{testFileDir}/{testFileName}-snapshots/{arg}{ext}",
  fullyParallel: true,
  workers: BUSY + WAITING,
  projects: [
    // Tests that mostly wait for time to pass or for their turn. They start first, because they cannot be shortened.
    { name: "waiting", grep: /@waits/, grepInvert: notHere, workers: WAITING },
    { name: "console", grepInvert: [/@waits/, ...notHere], workers: BUSY },
    ...(E2E_POSTGRES_URL
      ? []
      : [
          {
            name: NEXT_DOOR,
            testMatch: /api\/(?:ingest|agent-doors|benchmark-upload|openapi|token-use)\.spec\.ts$/,
            workers: 1,
          },
        ]),
  ],
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  timeout: WHOLE_TEST,
  expect: { timeout: FACT },
  reporter: [
    ["list"],
    ["json", { outputFile: process.env.E2E_REPORT ? `../${process.env.E2E_REPORT}` : "../test-results/e2e.json" }],
  ],
  use: {
    ...(executablePath ? { launchOptions: { executablePath } } : {}),
    // Records no traces, because they cost as much as the test steps. A screenshot and the error suffice.
    screenshot: "only-on-failure",
  },
});
