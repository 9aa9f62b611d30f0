import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DIST_DIRS } from "@/scripts/build";
import { type ConsoleServer, startConsole } from "./console-server";

/** The place in its text where a request comes in. */
const ARRIVAL = "const { headers, rawHeaders } = request;";

/** Does something with `request` as soon as it has come in. */
export function atArrival(text: string, code: string): string {
  const [before = "", after, ...more] = text.split(ARRIVAL);
  if (after === undefined || more.length > 0) throw new Error(`${BUNDLE} has not exactly one: ${ARRIVAL}`);
  return before + code + ARRIVAL + after;
}

/** The file of a build that holds the server and the handlers of machine paths. */
export const BUNDLE = "server.mjs";

/** The production build with a server whose text is changed, as a fault in it would. `clean` removes it. */
function changedBuild(change: (text: string) => string): { distDir: string; clean: () => void } {
  const text = change(readFileSync(join(DIST_DIRS.test, BUNDLE), "utf8"));
  const distDir = mkdtempSync(".next-test-changed-");
  for (const name of readdirSync(DIST_DIRS.test)) {
    if (name !== BUNDLE) symlinkSync(resolve(DIST_DIRS.test, name), join(distDir, name));
  }
  writeFileSync(join(distDir, BUNDLE), text);
  return { distDir, clean: () => rmSync(distDir, { recursive: true }) };
}

/** Starts a console of such a build. */
export async function startConsoleWithBundle(
  databaseUrl: string,
  change: (text: string) => string,
  variables: Record<string, string> = {},
): Promise<ConsoleServer> {
  const { distDir, clean } = changedBuild(change);
  try {
    const app = await startConsole(databaseUrl, { ...variables, CONSOLE_DIST_DIR: distDir });
    return { ...app, stop: () => app.stop().finally(clean) };
  } catch (error) {
    clean();
    throw error;
  }
}
