import { PlainError } from "@/lib/failures";
import { NOTICE_PAGE, TOKEN_PAGE } from "@/lib/page-paths";
import { parseEnv } from "@/lib/process/env-variables";
import { type Catcher, startCatcher } from "@/prisma/demo/catcher";
import { noticeVariables } from "@/prisma/demo/notice-settings";
import type { DemoAccess } from "@/prisma/demo/seed";
import { openDemoDatabase } from "./demo-database";
import { DEMO_IS_READY } from "./demo-output";
import { demoStep, say } from "./demo-steps.mjs";
import { runApp } from "./run-app";

/** Beside the data. A newcomer has no use for lines of JSON; an operator runs `npm start`. */
const LOG_FILE = "demo.log";

/** `npm run demo`: a console full of living data, built for production, from nothing. */
export async function main(args: string[]): Promise<void> {
  if (args[0]) throw new PlainError(`"npm run demo" takes no options, and "${args[0]}" was given.`);
  await runDemo("production");
}

/** The app over migrated demo data that a simulator keeps alive, until it is told to stop. Its process ends then. */
export async function runDemo(mode: "production" | "development"): Promise<void> {
  const catcher = await startCatcher();
  // A developer knows what goes on, and reads the log.
  const isDemo = mode === "production";
  let access: DemoAccess;
  await runApp({
    mode,
    open: openDemoDatabase,
    ...(isDemo && { step: demoStep, logFile: LOG_FILE, say }),
    async prepare() {
      // The app reads them, and so do the modules of lib/ that are imported below.
      Object.assign(process.env, noticeVariables(parseEnv(process.env), catcher));
      const step: typeof demoStep = isDemo ? demoStep : (_, task) => task();
      await step("making data", async () => {
        // Imported late: the database client reads DATABASE_URL when it is loaded.
        const { seedDemo } = await import("@/prisma/demo/seed");
        access = await seedDemo();
        const { leadChannelsTo } = await import("@/prisma/demo/channels");
        await leadChannelsTo(catcher);
      });
    },
    async announce({ app, logFile }) {
      console.log(welcome(app.origin, access, catcher, logFile));
      const { startSimulator } = await import("@/prisma/demo/live");
      const { db } = await import("@/lib/database/client");
      const { startThisMachine } = await import("@/prisma/demo/this-machine");
      const thisMachine = await startThisMachine(app.origin);
      void thisMachine.line.then((line) => line && console.log(line));
      // Last, because what it computes of the past can hold this process up for seconds, and their statements with it.
      const simulator = startSimulator(access.builtAt);
      return async () => {
        await thisMachine.stop();
        await simulator.stop();
        await db.$disconnect();
      };
    },
  });
}

function welcome(origin: string, { accounts, token }: DemoAccess, catcher: Catcher, logFile?: string): string {
  const width = Math.max(...accounts.map(({ email }) => email.length));
  const lines = accounts.map(
    ({ email, password, role, disabled }) => `  ${email.padEnd(width)}  ${password}  ${disabled ? "disabled" : role}`,
  );
  return [
    "",
    `Console       ${origin}`,
    `Token page    ${origin}${TOKEN_PAGE}`,
    ...(logFile ? [`Its log       ${logFile}`] : []),
    `Sent messages ${catcher.url}  (mail and webhooks arrive here; ${NOTICE_PAGE} sends a test)`,
    "",
    "Accounts (demo only: e-mail, password, role)",
    ...lines,
    "",
    `Token of ${accounts[0]?.email}, new at every start:`,
    `  ${token}`,
    "",
    "Try it:",
    `  curl -sS ${origin}/api/v1/servers -H "Authorization: Bearer ${token}"`,
    "",
    `${DEMO_IS_READY}; the data stays.`,
    "",
  ].join("\n");
}
