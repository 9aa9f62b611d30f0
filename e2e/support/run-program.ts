import { spawn } from "node:child_process";
import { once } from "node:events";

export type Ended = { code: number | null; output: string; errors: string };

/** Runs a program to its end, with these variables besides those of the tests. */
export async function runProgram(
  program: string,
  args: readonly string[],
  variables: Record<string, string> = {},
): Promise<Ended> {
  const child = spawn(program, args, { env: { ...process.env, ...variables }, stdio: ["ignore", "pipe", "pipe"] });
  let [output, errors] = ["", ""];
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (errors += chunk));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output, errors };
}
