import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { buildSync } from "esbuild";
import { RESULTS } from "@/scripts/test-results";
import { atExit } from "./at-exit";

type ReadyProcess<Message> = { message: Message; child: ChildProcess; stop(): Promise<void> };

const bundles = new Map<string, string>();

/**
 * A TypeScript file of the tests with all that it imports, as one file of JavaScript, for processes that start often: to
 * load a hundred files takes half a second of each start. It may import nothing by a name that is computed.
 */
export function bundled(file: string): string {
  const known = bundles.get(file);
  if (known) return known;
  mkdirSync(RESULTS, { recursive: true });
  // Inside of the project, because packages are not in it.
  const dir = mkdtempSync(join(RESULTS, "process-"));
  atExit(() => rmSync(dir, { recursive: true, force: true }));
  const outfile = join(dir, `${basename(file, ".ts")}.mjs`);
  buildSync({ entryPoints: [file], outfile, bundle: true, platform: "node", format: "esm", packages: "external" });
  bundles.set(file, outfile);
  return outfile;
}

/** Starts a file of the tests, TypeScript or bundled, as a process of its own and waits for its one message. */
export async function startReadyProcess<Message>(
  file: string,
  args: string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<ReadyProcess<Message>> {
  const loader = file.endsWith(".ts") ? ["--import", "tsx"] : [];
  const child = spawn(process.execPath, [...loader, file, ...args], {
    env: { ...process.env, ...variables },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const [message] = await Promise.race([
    once(child, "message"),
    exited.then(() => Promise.reject(new Error(`${file} ended before it was ready.`))),
  ]);
  return {
    message,
    child,
    async stop() {
      child.disconnect();
      await exited;
    },
  };
}
