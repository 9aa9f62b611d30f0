import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DIST_DIRS } from "@/scripts/build";
import { writePackage } from "@/scripts/package";
import { atExit } from "./at-exit";
import { type ConsoleServer, startConsole } from "./console-server";
import { type Ended, runProgram, type User } from "./run-program";

/** The package of the tests' build, in a temporary folder that nobody may write to. */
type Package = { folder: string; remove(): void };

/** Debian's user without rights and without a home; as somebody else than root, this process's own. */
const NOBODY: User = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const NO_HOME = { HOME: "/nonexistent" };

export async function makePackage(): Promise<Package> {
  const dir = mkdtempSync(join(tmpdir(), "console-package-"));
  chmodSync(dir, 0o755);
  const folder = join(dir, "console");
  const remove = () => {
    if (NOBODY.uid === undefined) spawnSync("chmod", ["-R", "u+w", dir]);
    rmSync(dir, { recursive: true, force: true });
  };
  atExit(remove);
  await writePackage(DIST_DIRS.test, folder);
  spawnSync("chmod", ["-R", "a+rX,a-w", folder]);
  return { folder, remove };
}

/** The package as it runs in production: one process, a read-only folder, a user without rights and without a home. */
export function startPackagedConsole(
  { folder }: Package,
  databaseUrl: string,
  variables: Record<string, string>,
): Promise<ConsoleServer> {
  const program = { script: join(folder, "server.mjs"), ...NOBODY };
  return startConsole(databaseUrl, { ...NO_HOME, ...variables }, 1, program);
}

/** One of the package's programs, run to its end as that user. */
export function runPackaged(
  { folder }: Package,
  [name, ...args]: readonly [string, ...string[]],
  variables: Record<string, string>,
): Promise<Ended> {
  return runProgram(process.execPath, [join(folder, name), ...args], { ...NO_HOME, ...variables }, NOBODY);
}
