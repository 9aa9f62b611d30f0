import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DIST_DIRS } from "@/scripts/build";
import { type ConsoleServer, startConsole } from "./console-server";

/** The file of a build that holds the server and the handlers of machine paths. */
export const BUNDLE = "server.mjs";

/** Starts a console of the production build with a server whose text is changed, as a fault in it would. */
export async function startConsoleWithBundle(
  databaseUrl: string,
  change: (text: string) => string,
): Promise<ConsoleServer> {
  const distDir = mkdtempSync(".next-test-changed-");
  const clean = () => rmSync(distDir, { recursive: true });
  for (const name of readdirSync(DIST_DIRS.test)) {
    if (name !== BUNDLE) symlinkSync(resolve(DIST_DIRS.test, name), join(distDir, name));
  }
  try {
    writeFileSync(join(distDir, BUNDLE), change(readFileSync(join(DIST_DIRS.test, BUNDLE), "utf8")));
    const app = await startConsole(databaseUrl, { CONSOLE_DIST_DIR: distDir });
    return { ...app, stop: () => app.stop().finally(clean) };
  } catch (error) {
    clean();
    throw error;
  }
}
