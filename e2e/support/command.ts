import { runProgram } from "./run-program";

/** Runs a command of package.json to its end, with these variables and this standard input. */
export async function command(args: string[], variables: Record<string, string>, input = "") {
  const words = ["scripts/run.mjs", ...args];
  const ended = await runProgram(process.execPath, words, { DATABASE_URL: "", ...variables }, {}, input);
  return { code: ended.code, stdout: ended.output, stderr: ended.errors };
}
