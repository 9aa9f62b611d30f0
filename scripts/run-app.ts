import { mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { PlainError } from "@/lib/failures";
import { type Env, parseEnv } from "@/lib/process/env-variables";
import { requireFree } from "@/server/listen";
import { type AppProcess, cannotListen, startApp } from "./app-process";
import { buildIfChanged, DIST_DIRS } from "./build";
import type { OpenDatabase } from "./database";
import { listenForStop } from "./signals";

type Session = { app: AppProcess; database: OpenDatabase; logFile?: string | undefined };

type RunOptions = {
  mode: "production" | "development";
  /** Runs a step that takes a while, and says so. */
  step?: <Result>(
    name: "building" | "opening the database" | "starting",
    task: () => Promise<Result>,
  ) => Promise<Result>;
  /** A file beside the embedded database that takes the log of the app. By default it goes where this process writes. */
  logFile?: string;
  /** Opens the database that the settings name. */
  open(env: Env, say?: (line: string) => void): Promise<OpenDatabase>;
  /** Takes what there is to tell while it runs, a sentence each: standard error by default. */
  say?(line: string): void;
  /** Once the database is reachable, before the app starts. */
  prepare(database: OpenDatabase): Promise<void>;
  /** Called once the app answers. The returned function is called when everything stops. */
  announce(session: Session): Promise<(() => Promise<void>) | undefined>;
};

/**
 * Runs the database and the app until told to stop. Stops the app first, then the database.
 * @throws PlainError when one of them cannot start, or not go on.
 */
export async function runApp(options: RunOptions): Promise<void> {
  const { mode, open, step = (_, task) => task(), say, prepare, announce } = options;
  const env = parseEnv(process.env);
  // Before a minute of building.
  await requireFree(env.port, env.host).catch(({ message }: Error) => {
    throw cannotListen(message, env.port, `Cannot listen on ${env.host}:${env.port}`);
  });
  // The build and the database do not need each other.
  const built =
    mode === "production"
      ? buildIfChanged(DIST_DIRS.app, options.step && ((task) => step("building", task)), say)
      : Promise.resolve();
  // Awaited below; until then its failure is not unhandled.
  built.catch(() => {});
  const stop = listenForStop();
  const database = await step("opening the database", () => open(env, say));
  try {
    // The app reads it, and so do the modules of lib/ that `prepare` and `announce` import later.
    process.env.DATABASE_URL = database.url;
    try {
      await prepare(database);
      await Promise.race([built, stop.given]);
    } catch (error) {
      // Ctrl-C reaches the migration as well, which then fails, as it should.
      if (!stop.isGiven()) throw error;
    }
    if (stop.isGiven()) return;
    const logFile = options.logFile && join(env.dataDir, options.logFile);
    const stdio = logFile ? openLog(logFile) : "inherit";
    const app = await step("starting", () =>
      startApp({ databaseUrl: database.url, host: env.host, port: env.port, mode, distDir: DIST_DIRS.app, stdio }),
    );
    // Ctrl-C reaches the server as well: its end is no failure then.
    const ended = app.exited.then((how) => (stop.isGiven() ? undefined : { how }));
    let finish: (() => Promise<void>) | undefined;
    try {
      finish = await announce({ app, database, logFile });
      const failure = await Promise.race([stop.given, ended, database.failed]);
      if (failure && "how" in failure) throw new PlainError(`The server ended by itself (${failure.how}).`);
      if (failure) {
        throw new PlainError(`The embedded database has ended: ${failure.message}. Its files stay; start again.`);
      }
    } finally {
      await finish?.();
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
