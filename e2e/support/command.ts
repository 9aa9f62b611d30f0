import { spawn } from "node:child_process";
import { atExit } from "./at-exit";

export type Result = { code: number | null; stdout: string; stderr: string };

/** Runs a command of package.json to its end, with these variables and this standard input. */
export function command(args: string[], variables: Record<string, string>, input = ""): Promise<Result> {
  const child = spawn(process.execPath, ["scripts/run.mjs", ...args], {
    env: { ...process.env, DATABASE_URL: "", ...variables },
  });
  atExit(() => child.kill("SIGTERM"));
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdin.end(input);
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}
