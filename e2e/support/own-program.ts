import { type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { atExit } from "./at-exit";

/**
 * A program of the test's own, which ends with it. `dir`: a folder that goes with the program. What it writes is kept, which
 * needs pipes.
 */
export function startProgram(
  program: string,
  args: string[],
  { dir, ...options }: SpawnOptions & { dir?: string } = {},
) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  const exited = once(child, "exit");
  const remove = () => dir && rmSync(dir, { recursive: true, force: true });
  atExit(() => {
    child.kill("SIGKILL");
    remove();
  });
  return {
    child,
    output: () => output,
    /** Waits until this is so. @throws when the program has ended. */
    async until(isSo: () => boolean | Promise<boolean>): Promise<void> {
      while (!(await isSo())) {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${program} has ended: ${output}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
      child.kill(signal);
      await exited;
      remove();
    },
  };
}
