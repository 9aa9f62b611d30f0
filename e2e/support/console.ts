import type { TestProject } from "vitest/node";
import { buildIfChanged, DIST_DIRS } from "@/scripts/build";
import { keepLog, startConsole } from "./console-server";
import { LONG_WAIT } from "./patience";
import { prepareForTests } from "./present-console";
import { createTestDatabase } from "./test-database";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the console of the site tests listens. */
    origin: string;
    siteDatabaseUrl: string;
    /** The file of all that it has written since it answered. */
    log: string;
  }
}

/** Once for all site tests: the production build over one database, in which each test makes accounts of its own. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  await buildIfChanged(DIST_DIRS.test);
  const database = await createTestDatabase();
  await prepareForTests(database.url);
  // Tests stand behind one trusted proxy, so that each can come from an ip of its own.
  const app = await startConsole(database.url, { ...LONG_WAIT, CONSOLE_JOBS: "off", TRUSTED_PROXIES: "1" });
  const log = keepLog(app);
  project.provide("log", log.path);
  project.provide("origin", app.origin);
  project.provide("siteDatabaseUrl", database.url);
  return async () => {
    await app.stop();
    await database.stop();
    log.remove();
  };
}
