import type { TestProject } from "vitest/node";
import { buildIfChanged, DIST_DIRS } from "@/scripts/build";
import { LONG_WAIT } from "./patience";
import { startSharedConsole } from "./present-console";

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
  const { origin, databaseUrl, log, stop } = await startSharedConsole({ ...LONG_WAIT, CONSOLE_JOBS: "off" });
  project.provide("log", log);
  project.provide("origin", origin);
  project.provide("siteDatabaseUrl", databaseUrl);
  return stop;
}
