import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VARIABLE_NAMES } from "@/lib/process/env-variables";
import { type AppOptions, type AppProcess, startApp } from "@/scripts/app-process";
import { DIST_DIRS } from "@/scripts/build";

/**
 * Every variable of the product, unset: neither a .env file nor the shell may change what a test sees. No proxy needs
 * time to notice an end.
 */
export const NO_VARIABLES = {
  ...Object.fromEntries(
    VARIABLE_NAMES.filter((name) => !["DATABASE_URL", "DATA_DIR", "HOST", "PORT"].includes(name)).map((name) => [
      name,
      "",
    ]),
  ),
  DRAIN_DELAY: "0",
  OPS_HOST: "127.0.0.1",
};

export type ConsoleServer = AppProcess & {
  /** Everything it has written to standard output and standard error. */
  output(): string;
};

/** The production build, served on a free port by a process of its own. */
export async function startConsole(
  databaseUrl: string,
  variables: Record<string, string> = {},
  program?: AppOptions["program"],
): Promise<ConsoleServer> {
  const app = await startApp({
    databaseUrl,
    host: "127.0.0.1",
    port: 0,
    mode: "production",
    distDir: DIST_DIRS.test,
    variables: { ...NO_VARIABLES, ...variables },
    stdio: "pipe",
    ...(program && { program }),
  });
  let output = "";
  app.child.stdout?.on("data", (chunk) => (output += chunk));
  app.child.stderr?.on("data", (chunk) => (output += chunk));
  return { ...app, output: () => output };
}

/** Keeps what a console writes from now on in a file, which the processes of its tests can read. */
export function keepLog({ child }: ConsoleServer): { path: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "console-log-"));
  const path = join(folder, "log");
  writeFileSync(path, "");
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => appendFileSync(path, chunk));
  return { path, remove: () => rmSync(folder, { recursive: true }) };
}
