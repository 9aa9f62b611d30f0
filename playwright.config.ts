import { defineConfig } from "playwright/test";
import { findBrowser } from "./e2e/support/browser";
import { FACT, LONG_WAIT, WHOLE_TEST } from "./e2e/support/patience";

const executablePath = findBrowser();

/** They need a machine to themselves: one at a time, after everything else. */
const LOAD = ["operations/frozen", "operations/neighbours", "operations/rolling-restart", "ops/pages/timing"];

// Every process of a run reads this: no deadline of the product is met by a test that is not about it. Load sets its own.
process.env.CONSOLE_LONGEST_WAIT ??= LONG_WAIT.CONSOLE_LONGEST_WAIT;

const filesOf = (names: readonly string[]) => names.map((name) => `**/${name}.spec.ts`);
const WAITS = /@waits/;
/** What fails in CI in a browser or beside other programs runs once more, and is named: its cause is still to be found. */
const retries = process.env.CI ? 1 : 0;

// A glob would find a folder of that name anywhere, above the checkout as well.
const flows = { testMatch: /\/e2e\/(?:browser|pages|recording)\/[^/]+\.spec\.ts$/ };
const rest = {
  testMatch: /\/e2e\/(?:(?:api|operations)\/[^/]+|ops\/.+)\.spec\.ts$/,
  testIgnore: filesOf(LOAD),
};

/**
 * `npm test` runs `browser`, `npm run test:all` the rest as well. `npx playwright test` runs what is asked for by itself:
 * e2e/support/global-setup.ts brings PostgreSQL, Redis and the console. The build must be there.
 */
export default defineConfig({
  testDir: "e2e",
  globalSetup: "./e2e/support/global-setup.ts",
  outputDir: "test-results/playwright",
  fullyParallel: true,
  // Two more than the smallest machine has cores: many tests wait, for time to pass or for their turn.
  workers: 5,
  projects: [
    {
      name: "browser",
      ...flows,
      testIgnore: filesOf(LOAD),
      grepInvert: WAITS,
      workers: 3,
      retries,
    },
    // They cannot be shortened, so they start with the first.
    {
      name: "waiting",
      testMatch: "**/*.spec.ts",
      testIgnore: filesOf(LOAD),
      grep: WAITS,
      workers: 2,
      retries,
    },
    { name: "operations", ...rest, grepInvert: WAITS, workers: 3, retries },
    { name: "load", testMatch: filesOf(LOAD), workers: 1, retries },
  ],
  forbidOnly: Boolean(process.env.CI),
  timeout: WHOLE_TEST,
  expect: { timeout: FACT },
  reporter: [["list"], ["json", { outputFile: "test-results/playwright.json" }]],
  use: {
    reuseContext: true,
    actionTimeout: FACT,
    navigationTimeout: FACT,
    ...(executablePath ? { launchOptions: { executablePath } } : {}),
    // Records no traces, because they cost as much as the test steps. A screenshot and the error suffice.
    screenshot: "only-on-failure",
    // Pages begin in the zone of their browser.
    timezoneId: "UTC",
  },
});
