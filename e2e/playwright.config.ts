import { defineConfig } from "playwright/test";
import { findBrowser } from "./support/browser";

const executablePath = findBrowser() ?? undefined;

export default defineConfig({
  testDir: ".",
  globalSetup: "./support/global-setup.ts",
  outputDir: process.env.E2E_OUTPUT ?? "../test-results/e2e",
  fullyParallel: true,
  // One more than the smallest machine has cores: some tests spend their time waiting, because waiting is what they test.
  workers: 3,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
  reporter: [
    ["list"],
    ["json", { outputFile: process.env.E2E_REPORT ? `../${process.env.E2E_REPORT}` : "../test-results/e2e.json" }],
  ],
  use: {
    ...(executablePath ? { launchOptions: { executablePath } } : {}),
    trace: "retain-on-failure",
  },
});
