import { defineConfig } from "playwright/test";
import { findBrowser } from "./support/browser";
import { NEXT_DOOR } from "./support/doors";

const executablePath = findBrowser() ?? undefined;

export default defineConfig({
  testDir: ".",
  globalSetup: "./support/global-setup.ts",
  outputDir: process.env.E2E_OUTPUT ?? "../test-results/e2e",
  fullyParallel: true,
  // What carries this tag brings its own servers, judges only what a browser draws or a command says, or holds the API
  // against its document, clients and recipes: on PostgreSQL it would be repeated word by word. Everything else runs on
  // both engines.
  ...(process.env.E2E_POSTGRES_URL ? { grepInvert: /@one-engine/ } : {}),
  projects: [
    { name: "console" },
    ...(process.env.E2E_POSTGRES_URL
      ? []
      : [{ name: NEXT_DOOR, testMatch: /api\/(?:ingest|benchmark-upload|openapi|token-use)\.spec\.ts$/ }]),
  ],
  // One more than the smallest machine has cores: some tests spend their time waiting, because waiting is what they test.
  workers: 3,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
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
