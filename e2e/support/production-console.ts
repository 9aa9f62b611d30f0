import { spawnSync } from "node:child_process";
import { type ConsoleServer, startConsole } from "./console-server";
import { type Ended, runProgram, type User } from "./run-program";

const NO_HOME = { HOME: "/nonexistent" };
/** Debian's user without rights, who owns no file of the checkout. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/**
 * The user of a console in production. Somebody else than root cannot become another user, and nobody cannot run a checkout
 * in a folder of root alone: there it is this process's own.
 */
function productionUser(): User {
  if (process.getuid?.() !== 0) return {};
  const script = 'require("node:fs").accessSync("server/start.mjs")';
  return spawnSync(process.execPath, ["-e", script], NOBODY).status === 0 ? NOBODY : {};
}

/** The console as it runs in production: a user who can write no file of it, and has no home. */
export function startProductionConsole(databaseUrl: string, variables: Record<string, string>): Promise<ConsoleServer> {
  return startConsole(databaseUrl, { ...NO_HOME, ...variables }, productionUser());
}

/** A program of the checkout, run to its end as that user. */
export function runInProduction(args: readonly string[], variables: Record<string, string>): Promise<Ended> {
  return runProgram(process.execPath, args, { ...NO_HOME, ...variables }, productionUser());
}
