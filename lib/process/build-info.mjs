import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The file of a build that says what it was built from. */
export const BUILD_INFO = "build-info.json";

/**
 * The version of the console, and the commit that it was built from: "unknown" before the first build, and for a build of
 * sources that are no checkout of git. The working directory of every process is the folder of the console.
 * @returns {{ version: string, commit: string }}
 */
export function buildInfo() {
  return (
    readJson(join(process.env.CONSOLE_DIST_DIR || ".next", BUILD_INFO)) ?? {
      version: versionOfSources(),
      commit: "unknown",
    }
  );
}

/** The version that package.json says. */
export function versionOfSources() {
  return readJson("package.json").version;
}

/** What every command says when it is asked for its version. */
export function versionText() {
  const { version, commit } = buildInfo();
  return `console-api ${version}, commit ${commit}`;
}

/** @param {string} file */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}
