import { spawn } from "node:child_process";
import { once } from "node:events";
import { atExit } from "./at-exit";
import { startReadyProcess } from "./ready-process";

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

/**
 * What a command of operators answers to each of these lists of arguments, one after the other in one process: a start takes a second.
 * Where the start itself matters, use `command`.
 */
export async function answersOf(name: string, lists: readonly string[][], databaseUrl: string): Promise<Result[]> {
  const { child, stop } = await startReadyProcess("e2e/support/commands-process.ts", [name], {
    DATABASE_URL: databaseUrl,
  });
  const ended = once(child, "exit").then(([code]) =>
    Promise.reject(new Error(`npm run console -- ${name} ended with ${code}.`)),
  );
  ended.catch(() => {});
  try {
    const answers: Result[] = [];
    for (const args of lists) {
      child.send(args);
      const [answer] = await Promise.race([once(child, "message"), ended]);
      answers.push(answer as Result);
    }
    return answers;
  } finally {
    await stop();
  }
}
