import { defineConfig } from "playwright/test";
import { findBrowser } from "./support/browser";
import { FACT, LONG_WAIT, WHOLE_TEST } from "./support/patience";
import { stepBack } from "./support/priority";

const executablePath = findBrowser() ?? undefined;

const { E2E_POSTGRES_URL, E2E_LANE } = process.env;

/** These need a machine to themselves. They run one test at a time, after everything else: `npm run load`. */
const LOAD = [
  "api/generated-requests",
  "operations/bodies",
  "operations/ingest-load",
  "operations/large-deletions",
  "operations/neighbours",
  "operations/rolling-restart",
  "operations/unread-answers",
  "operations/waiting-nodes",
  "pages/sign-in-timing",
];

/** About the embedded database: where there is another, a run of its own. */
const EMBEDDED = ["operations/gui-client"];

/** What these show does not depend on JavaScript, and other tests of the same page or form run without it. */
const SAME_WITHOUT = /@without-javascript.*@with-javascript-alone/;
/** The files of specs that are named by their paths. */
const filesOf = (names: readonly string[]) => names.map((name) => `**/${name}.spec.ts`);

/** One more than the smallest machine has cores, because a test often waits for its browser or the console. */
const BUSY = 3;
/** Tests that mostly wait for time to pass or for their turn. They start first, because they cannot be shortened. */
const WAITING = 2;

// The workers and their browsers step back behind the consoles and their database. Every worker loads this file.
if (process.env.TEST_WORKER_INDEX !== undefined) stepBack();

// In CI a test in a browser or of operations that fails runs once more. What then passes is named at the end with its error:
// its cause is still to be found.
const retries = process.env.CI ? 1 : 0;
const specs = { testIgnore: filesOf(E2E_POSTGRES_URL ? [...LOAD, ...EMBEDDED] : LOAD), grepInvert: SAME_WITHOUT };
const load = { name: "load", testMatch: filesOf(LOAD), grepInvert: SAME_WITHOUT, workers: 1, retries };
const embedded = { name: "embedded", testMatch: filesOf(EMBEDDED) };
const main = [
  {
    name: "waiting",
    ...specs,
    testMatch: /\/e2e\/(?:operations|pages)\/.*\.spec\.ts$/,
    grep: /@waits/,
    workers: WAITING,
    retries,
  },
  // Whatever is about neither: nothing of it may need a second try.
  { name: "http", ...specs, testMatch: /\/e2e\/(?!operations|pages).*\.spec\.ts$/, workers: BUSY, retries: 0 },
  {
    name: "console",
    ...specs,
    testMatch: /\/e2e\/(?:operations|pages)\/.*\.spec\.ts$/,
    grepInvert: [/@waits/, SAME_WITHOUT],
    workers: BUSY,
    retries,
  },
];
const lanes = { load: [load], embedded: [embedded], main, all: [...main, load] };

// Those of load find out themselves what the console does in its own time.
if (E2E_LANE !== "load") Object.assign(process.env, LONG_WAIT);

export default defineConfig({
  testDir: ".",
  globalSetup: "./support/global-setup.ts",
  outputDir: process.env.E2E_OUTPUT ?? "../test-results/e2e",
  fullyParallel: true,
  workers: BUSY + WAITING,
  projects: lanes[(E2E_LANE ?? "all") as keyof typeof lanes],
  forbidOnly: Boolean(process.env.CI),
  timeout: WHOLE_TEST,
  expect: { timeout: FACT },
  reporter: [
    ["list"],
    ["json", { outputFile: process.env.E2E_REPORT ? `../${process.env.E2E_REPORT}` : "../test-results/e2e.json" }],
  ],
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
