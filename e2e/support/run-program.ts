import { spawn } from "node:child_process";
import { once } from "node:events";
import { atExit } from "./at-exit";

export type Ended = { code: number | null; output: string; errors: string };

/** Lets Python find the client that the console serves, and write nothing beside it. */
export const CONSOLE_API = { PYTHONPATH: "public/clients", PYTHONDONTWRITEBYTECODE: "1" };

export type User = { uid?: number; gid?: number };

/** Runs a program to its end, with these variables besides those of the tests, as this user, and with this standard input. */
export async function runProgram(
  program: string,
  args: readonly string[],
  variables: Record<string, string> = {},
  user: User = {},
  input?: string,
): Promise<Ended> {
  const env = { ...process.env, ...variables };
  const stdin = input === undefined ? "ignore" : "pipe";
  const child = spawn(program, args, { ...user, env, stdio: [stdin, "pipe", "pipe"] });
  atExit(() => child.kill("SIGTERM"));
  child.stdin?.end(input);
  let [output, errors] = ["", ""];
  child.stdout?.on("data", (chunk) => (output += chunk));
  child.stderr?.on("data", (chunk) => (errors += chunk));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output, errors };
}
