import { constants, setPriority } from "node:os";
import { defineConfig } from "playwright/test";
import { findBrowser } from "./support/browser";
import { NEXT_DOOR } from "./support/doors";

const executablePath = findBrowser() ?? undefined;

/**
 * Everything runs on the embedded database and again on PostgreSQL, but for two tags. `@one-engine` brings its own
 * servers, judges only what a browser draws or a command says, or holds the API against its document, clients and
 * recipes: it would be repeated word by word, and runs on PostgreSQL where that follows, where a database of its own
 * does not cost seconds of a core.
 * `@embedded-only` needs what the embedded database alone has here, a second console behind Next's router, or is the
 * other half of something tagged `@one-engine`.
 */
const { E2E_POSTGRES_URL, E2E_POSTGRES_FOLLOWS } = process.env;
const notHere = E2E_POSTGRES_URL ? [/@embedded-only/] : E2E_POSTGRES_FOLLOWS ? [/@one-engine/] : [];

/** One more than the smallest machine has cores: a test waits for its browser, and its browser for the console. */
const BUSY = 3;
const WAITING = 2;

// Browsers step back where the shared console or its database wants a core: however many there are, it answers as it would
// elsewhere. Every worker reads this file.
if (process.env.TEST_WORKER_INDEX !== undefined) setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

export default defineConfig({
  testDir: ".",
  globalSetup: "./support/global-setup.ts",
  outputDir: process.env.E2E_OUTPUT ?? "../test-results/e2e",
  // The same on every system and engine.
  snapshotPathTemplate: "{testFileDir}/{testFileName}-snapshots/{arg}{ext}",
  fullyParallel: true,
  workers: BUSY + WAITING,
  projects: [
    // First, because nothing shortens them: tests that mostly wait, for time to pass or for their turn.
    { name: "waiting", grep: /@waits/, grepInvert: notHere, workers: WAITING },
    { name: "console", grepInvert: [/@waits/, ...notHere], workers: BUSY },
    ...(E2E_POSTGRES_URL
      ? []
      : [{ name: NEXT_DOOR, testMatch: /api\/(?:ingest|benchmark-upload|openapi|token-use)\.spec\.ts$/, workers: 1 }]),
  ],
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  // What a slow machine may take; a test that hangs is found all the same.
  timeout: 180_000,
  // A password takes its time, and behind a crowd of others' more of it.
  expect: { timeout: 15_000 },
  reporter: [
    ["list"],
    ["json", { outputFile: process.env.E2E_REPORT ? `../${process.env.E2E_REPORT}` : "../test-results/e2e.json" }],
  ],
  use: {
    ...(executablePath ? { launchOptions: { executablePath } } : {}),
    // Without a trace of every step, which costs as much as the steps: the end of a failed test in a picture and in words
    // tells enough.
    screenshot: "only-on-failure",
  },
});
