import { readFileSync } from "node:fs";

/**
 * The version of the console, and the commit that `npm run package` wrote beside it: "unknown" in a checkout. The working
 * directory of every process is the folder that both stand in.
 * @returns {{ version: string, commit: string }}
 */
export function buildInfo() {
  const { version, commit = "unknown" } = JSON.parse(readFileSync("package.json", "utf8"));
  return { version, commit };
}

/** What every command says when it is asked for its version. */
export function versionText() {
  const { version, commit } = buildInfo();
  return `console-api ${version}, commit ${commit}`;
}
