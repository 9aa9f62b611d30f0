import { PlainError } from "@/lib/failures";
import { parseEnv } from "@/lib/process/env-variables";
import { type AppProcess, startApp } from "./app-process";
import { buildIfChanged, DIST_DIRS } from "./build";
import { type OpenDatabase, openDatabase } from "./database";
import { requireFreePort } from "./ports";
import { listenForStop } from "./signals";
import { Supervisor } from "./supervisor";

export type Session = { app: AppProcess; database: OpenDatabase };

export type RunOptions = {
  mode: "production" | "development";
  /** Build first when something changed; else the build must be there. */
  build: boolean;
  /** Whether the embedded database is meant where none is named. */
  mayBeEmbedded: boolean;
  /** Once the database is reachable, before the app starts. */
  prepare(database: OpenDatabase): Promise<void>;
  /** Once the app answers; what it returns is called when everything stops. */
  announce(session: Session): Promise<(() => Promise<void>) | undefined>;
};

/**
 * Runs the app until it is told to stop: the database first, then the app, which is started again when it dies;
 * backwards at the end. @throws PlainError when one of them cannot start, or not go on.
 */
export async function runApp({ mode, build, mayBeEmbedded, prepare, announce }: RunOptions): Promise<void> {
  const env = parseEnv(process.env);
  await requireFreePort(env.host, env.port);
  if (build) buildIfChanged(DIST_DIRS.app);
  const stop = listenForStop();
  const database = await openDatabase(env, mayBeEmbedded);
  try {
    // For what `prepare` and `announce` import from lib/ only now, and for the app.
    process.env.DATABASE_URL = database.url;
    try {
      await prepare(database);
    } catch (error) {
      // Ctrl-C reaches the migration as well, which then fails, as it should.
      if (!stop.isGiven()) throw error;
    }
    if (stop.isGiven()) return;
    const start = (port: number) =>
      startApp({ databaseUrl: database.url, host: env.host, port, mode, distDir: DIST_DIRS.app, workers: env.workers });
    const app = await start(env.port);
    const supervisor = new Supervisor(app, () => start(app.port));
    let finish: (() => Promise<void>) | undefined;
    try {
      finish = await announce({ app, database });
      const failure = await Promise.race([stop.given, supervisor.gaveUp, database.failed]);
      if (failure) {
        throw new PlainError(`The embedded database has ended: ${failure.message}. Its files stay; start again.`);
      }
    } finally {
      // Ctrl-C reaches the server as well.
      supervisor.expectEnd();
      await finish?.();
      void stop.atOnce.then(() => supervisor.stop("SIGINT"));
      await supervisor.stop(stop.isGiven() ? "SIGTERM" : "SIGINT");
    }
  } finally {
    await database.stop();
  }
}
