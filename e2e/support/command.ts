import { spawn } from "node:child_process";

export type Result = { code: number | null; stdout: string; stderr: string };

/**
 * Runs a command of package.json to its end, with these variables and this standard input. One that goes on by itself is
 * told to stop once it has said `until`.
 */
export function command(
  args: string[],
  variables: Record<string, string>,
  input = "",
  until?: string,
): Promise<Result> {
  const child = spawn(process.execPath, ["scripts/run.mjs", ...args], {
    env: { ...process.env, DATABASE_URL: "", ...variables },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
    if (until && stdout.includes(until)) child.kill("SIGTERM");
  });
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdin.end(input);
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}
