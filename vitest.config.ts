import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** Unit tests that change what is shared in a process: its environment, its log, its timers, its modules. */
const OWN_PROCESS = [
  "app/metrics/route",
  "lib/{api/published-limit,mcp/endpoint}",
  "lib/process/{log,lost-lines,repeated}",
];
const ownProcess = OWN_PROCESS.map((name) => `${name}.test.ts`);

/** Do not depend on the engine or the machine, and take minutes. CI runs them. */
const SLOW = "**/*.slow.test.ts";

/** What agent.sh says of a machine, for which a shell is enough; all else that needs programs is for CI. */
const AGENT = "e2e/operations/agent-machines.test.ts";

/** They only bound a hang: the machine may be busy with something else. */
const WHOLE_TEST = 300_000;

/** As LONG_WAIT of e2e/support/patience.ts. */
const env = { CONSOLE_LONGEST_WAIT: "60000" };

const withDatabase = {
  env,
  pool: "forks",
  isolate: false,
  globalSetup: ["e2e/support/database.ts"],
  setupFiles: ["e2e/support/no-variables.ts", "e2e/support/worker.ts"],
} satisfies TestProjectInlineConfiguration["test"];

export default defineConfig({
  resolve: { alias: { "@": fileURLToPath(new URL(".", import.meta.url)) } },
  test: {
    maxWorkers: availableParallelism(),
    setupFiles: ["e2e/support/no-variables.ts"],
    // What the console logs is shown of tests that fail.
    silent: "passed-only",
    testTimeout: WHOLE_TEST,
    hookTimeout: WHOLE_TEST,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          env,
          include: ["*.test.ts", "{app,docs,lib,server,scripts,prisma}/**/*.test.ts", AGENT],
          exclude: [...ownProcess, SLOW],
          // Files of a worker share what they load, which is half of their work.
          isolate: false,
        },
      },
      { extends: true, test: { name: "own-process", include: ownProcess, env } },
      {
        extends: true,
        test: { name: "programs", env, include: ["e2e/operations/**/*.test.ts"], exclude: [AGENT], isolate: false },
      },
      { extends: true, test: { name: "api", include: ["e2e/api/**/*.test.ts"], exclude: [SLOW], ...withDatabase } },
      {
        extends: true,
        test: {
          name: "slow",
          include: [SLOW],
          exclude: ["node_modules/**"],
          ...withDatabase,
          // One of them brings a database of its own.
          isolate: true,
        },
      },
      {
        extends: true,
        test: {
          name: "site",
          include: ["e2e/site/**/*.test.ts"],
          env,
          pool: "forks",
          isolate: false,
          globalSetup: ["e2e/support/database.ts", "e2e/support/console.ts"],
          setupFiles: ["e2e/support/no-variables.ts", "e2e/support/site-worker.ts"],
        },
      },
    ],
  },
});
