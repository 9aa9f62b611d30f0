import { mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { PlainError } from "@/lib/failures";
import { NOTICE_PAGE, TOKEN_PAGE } from "@/lib/page-paths";
import { parseEnv } from "@/lib/process/env-variables";
import { type Catcher, startCatcher } from "@/prisma/demo/catcher";
import { DEMO_ACCOUNTS, FIRST_ACCOUNT } from "@/prisma/demo/data";
import { noticeVariables } from "@/prisma/demo/notice-settings";
import type { DemoAccess } from "@/prisma/demo/seed";
import { requireFree } from "@/server/listen";
import { cannotListen, startApp } from "./app-process";
import { buildIfChanged, DIST_DIRS } from "./build";
import { openDemoDatabase } from "./demo-database";
import { DEMO_IS_READY } from "./demo-output";
import { demoStep } from "./demo-steps.mjs";
import { listenForStop } from "./signals";

/** Beside the data. A newcomer has no use for lines of JSON; an operator runs `npm start`. */
const LOG_FILE = "demo.log";

/** `npm run demo`: a console full of living data, built for production, from nothing. */
export async function main(args: string[]): Promise<void> {
  if (args[0]) throw new PlainError(`"npm run demo" takes no options, and "${args[0]}" was given.`);
  await runDemo("production");
}

/**
 * The app over migrated demo data that a simulator keeps alive, until it is told to stop: then the app stops first, and
 * last the database. Its process ends then. @throws PlainError when one of them cannot start, or not go on.
 */
export async function runDemo(mode: "production" | "development"): Promise<void> {
  const catcher = await startCatcher();
  const env = parseEnv(process.env);
  // A developer knows what goes on, and reads the log.
  const isDemo = mode === "production";
  const step: typeof demoStep = isDemo ? demoStep : (_, task) => task();
  // Before a minute of building.
  await requireFree(env.port, env.host).catch(({ message }: Error) => {
    throw cannotListen(message, env.port, `Cannot listen on ${env.host}:${env.port}`);
  });
  // The build and the database do not need each other.
  const built = isDemo ? buildIfChanged(DIST_DIRS.app, (task) => step("building", task)) : Promise.resolve();
  // Awaited below; until then its failure is not unhandled.
  built.catch(() => {});
  const stop = listenForStop();
  const database = await step("opening the database", () => openDemoDatabase(env));
  try {
    // The app reads them, and so do the modules of lib/ that are imported later.
    Object.assign(process.env, { DATABASE_URL: database.url, ...noticeVariables(env, catcher) });
    let access: DemoAccess;
    try {
      access = await step("making data", () => makeData(catcher));
      await Promise.race([built, stop.given]);
    } catch (error) {
      // Ctrl-C reaches the migration as well, which then fails, as it should.
      if (!stop.isGiven()) throw error;
      return;
    }
    if (stop.isGiven()) return;
    const logFile = isDemo ? join(env.dataDir, LOG_FILE) : undefined;
    const stdio = logFile ? openLog(logFile) : "inherit";
    const app = await step("starting", () =>
      startApp({ databaseUrl: database.url, host: env.host, port: env.port, mode, distDir: DIST_DIRS.app, stdio }),
    );
    // Ctrl-C reaches the server as well: its end is no failure then.
    const ended = app.exited.then((how) => (stop.isGiven() ? undefined : { how }));
    let endLife: (() => Promise<void>) | undefined;
    try {
      console.log(welcome(app.origin, access, catcher, logFile));
      endLife = await startLife(app.origin, access);
      const failure = await Promise.race([stop.given, ended, database.failed]);
      if (failure && "how" in failure) throw new PlainError(`The server ended by itself (${failure.how}).`);
      if (failure) {
        throw new PlainError(`The embedded database has ended: ${failure.message}. Its files stay; start again.`);
      }
    } finally {
      await endLife?.();
      void stop.atOnce.then(() => app.stop("SIGINT"));
      await app.stop(stop.isGiven() ? "SIGTERM" : "SIGINT");
    }
  } finally {
    await database.stop();
  }
}

/** Opens a file for the log, empty. */
function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  return openSync(file, "w", 0o600);
}

async function makeData(catcher: Catcher): Promise<DemoAccess> {
  // Imported late: the database client reads DATABASE_URL when it is loaded.
  const { seedDemo } = await import("@/prisma/demo/seed");
  const access = await seedDemo();
  const { leadChannelsTo } = await import("@/prisma/demo/channels");
  await leadChannelsTo(catcher);
  return access;
}

/** Starts what keeps the data alive. Answers what ends it. */
async function startLife(origin: string, { builtAt }: DemoAccess): Promise<() => Promise<void>> {
  const { startSimulator } = await import("@/prisma/demo/live");
  const { db } = await import("@/lib/database/client");
  const { startThisMachine } = await import("@/prisma/demo/this-machine");
  const thisMachine = await startThisMachine(origin);
  void thisMachine.line.then((line) => line && console.log(line));
  // Last, because what it computes of the past can hold this process up for seconds, and their statements with it.
  const simulator = startSimulator(builtAt);
  return async () => {
    await thisMachine.stop();
    await simulator.stop();
    await db.$disconnect();
  };
}

function welcome(origin: string, { token }: DemoAccess, catcher: Catcher, logFile?: string): string {
  const width = Math.max(...DEMO_ACCOUNTS.map(({ email }) => email.length));
  const lines = DEMO_ACCOUNTS.map(
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
    `Token of ${FIRST_ACCOUNT.email}, new at every start:`,
    `  ${token}`,
    "",
    "Try it:",
    `  curl -sS ${origin}/api/v1/servers -H "Authorization: Bearer ${token}"`,
    "",
    `${DEMO_IS_READY}; the data stays.`,
    "",
  ].join("\n");
}
