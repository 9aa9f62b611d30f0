import { defineConfig } from "playwright/test";
import { findBrowser } from "./support/browser";
import { NEXT_DOOR } from "./support/doors";
import { FACT, WHOLE_TEST } from "./support/patience";
import { stepBack } from "./support/priority";

const executablePath = findBrowser() ?? undefined;

const { E2E_POSTGRES_URL, E2E_POSTGRES_FOLLOWS, E2E_LANE, E2E_ASKING } = process.env;

/** These need a machine to themselves. They run one test at a time, after everything else: `npm run load`. */
const LOAD = [
  "api/generated-requests",
  "operations/bodies",
  "operations/ingest-load",
  "operations/large-deletions",
  "operations/neighbours",
  "operations/rolling-restart",
  "operations/unread-answers",
  "operations/upgrade",
  "operations/waiting-nodes",
  "pages/sign-in-timing",
];

/**
 * The specs that touch the engine: the API, through both doors, and what writes SQL of its own. Where a run on PostgreSQL
 * follows, they alone run on the embedded database as well. Not those of the API that are about its clients.
 */
const BOTH_ENGINES =
  /^(?:api\/(?!clients|follow|mcp-questions).*|operations\/(?:commands|faults|gui-client|large-deletions|notices|online-migrations|stored-secrets|sweep)|pages\/(?:account|benchmark-runs|fleet|game-services|manage-tokens|revoke-token))$/;
const ofBothEngines = `${BOTH_ENGINES.source.slice(1, -1)}\\.spec\\.ts`;

/** The specs that ask for programs, where they run as on a machine that has none: whole, whatever their engine. */
const asking = E2E_ASKING?.split(",") ?? [];

/** What these show does not depend on JavaScript, and other tests of the same page or form run without it. */
const SAME_WITHOUT = /@without-javascript.*@with-javascript-alone/;

/**
 * Tests of those specs that run on one engine alone. `@one-engine`: the result does not depend on the engine. `@embedded-only`:
 * needs the second console behind Next's router, which only the embedded run has.
 */
const notOnEngine = E2E_POSTGRES_URL
  ? [/@embedded-only/, new RegExp(`${ofBothEngines} .*@without-javascript`)]
  : E2E_POSTGRES_FOLLOWS
    ? [asking.length > 0 ? new RegExp(`^(?!.*(?:${asking.join("|")})).*@one-engine`) : /@one-engine/]
    : [];
const notHere = [...notOnEngine, SAME_WITHOUT];

/** The files of specs that are named by their paths. */
const filesOf = (names: readonly string[]) => names.map((name) => `**/${name}.spec.ts`);

/** Twice as many as the smallest machine has cores, because a test often waits for its browser or the console. */
const BUSY = 4;
/** Tests that mostly wait for time to pass or for their turn. They start first, because they cannot be shortened. */
const WAITING = 3;

// The workers and their browsers step back behind the consoles and their database. Every worker loads this file.
if (process.env.TEST_WORKER_INDEX !== undefined) stepBack();

const isOnBoth = (name: string) => BOTH_ENGINES.test(name);
const specs = {
  testMatch: E2E_POSTGRES_FOLLOWS
    ? [new RegExp(`/e2e/${ofBothEngines}$`), ...asking.map((file) => `**/${file}`)]
    : /\.spec\.ts$/,
  testIgnore: E2E_LANE === "main" ? filesOf(LOAD) : [],
};
const lanes = [
  { name: "waiting", ...specs, grep: /@waits/, grepInvert: notHere, workers: WAITING },
  { name: "console", ...specs, grepInvert: [/@waits/, ...notHere], workers: BUSY },
];
const nextDoor = {
  name: NEXT_DOOR,
  testMatch: /api\/(?:ingest|agent-protocols|benchmark-upload|openapi|token-use)\.spec\.ts$/,
  // Long, and about what lies behind every door.
  grepInvert: [/@one-door/],
  workers: 1,
};
const load = {
  name: "load",
  testMatch: filesOf(E2E_POSTGRES_FOLLOWS ? LOAD.filter(isOnBoth) : LOAD),
  grepInvert: notHere,
  workers: 1,
};
/**
 * Asks for a program on the embedded database, so the run without programs skips it. It runs beside load there, to save the
 * start of a run of its own, and under the same name, by which its two results are known as one.
 */
const skippedWithout = { name: "console", testMatch: filesOf(["operations/gui-client"]) };

export default defineConfig({
  testDir: ".",
  globalSetup: "./support/global-setup.ts",
  outputDir: process.env.E2E_OUTPUT ?? "../test-results/e2e",
  // The same on every system and engine.
  snapshotPathTemplate: "{testFileDir}/{testFileName}-snapshots/{arg}{ext}",
  fullyParallel: true,
  workers: BUSY + WAITING,
  projects:
    E2E_LANE === "load"
      ? [load, ...(E2E_POSTGRES_FOLLOWS ? [skippedWithout] : [])]
      : E2E_POSTGRES_URL
        ? lanes
        : [...lanes, nextDoor],
  // In CI a test that fails runs once more. What then passes is named at the end with its error: its cause is still to be found.
  retries: process.env.CI ? 1 : 0,
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
