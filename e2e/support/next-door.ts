import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DIST_DIRS } from "@/scripts/build";
import { type ConsoleServer, startConsole } from "./console-server";

/** The file in which a build lists its paths and handlers. */
const HANDLER_LIST = "app-path-routes-manifest.json";

/** Starts a console whose build lists a missing handler. The direct door then closes, and Next's router answers. */
export async function startConsoleWithoutDirectDoor(
  databaseUrl: string,
  variables: Record<string, string> = {},
): Promise<ConsoleServer> {
  const distDir = mkdtempSync(".next-test-incomplete-");
  for (const name of readdirSync(DIST_DIRS.test)) {
    if (name !== HANDLER_LIST) symlinkSync(resolve(DIST_DIRS.test, name), join(distDir, name));
  }
  const list = JSON.parse(readFileSync(join(DIST_DIRS.test, HANDLER_LIST), "utf8")) as Record<string, string>;
  writeFileSync(join(distDir, HANDLER_LIST), JSON.stringify({ ...list, "/api/v1/absent/route": "/api/v1/absent" }));
  const app = await startConsole(databaseUrl, { ...variables, CONSOLE_DIST_DIR: distDir });
  return {
    ...app,
    async stop() {
      await app.stop();
      rmSync(distDir, { recursive: true });
    },
  };
}
