import { spawn } from "node:child_process";
import { once } from "node:events";

export type Ended = { code: number | null; output: string; errors: string };

/** Lets Python find the client that the console serves, and write nothing beside it. */
export const CONSOLE_API = { PYTHONPATH: "public/clients", PYTHONDONTWRITEBYTECODE: "1" };

export type User = { uid?: number; gid?: number };

/** Runs a program to its end, with these variables besides those of the tests; as another user, if one is named. */
export async function runProgram(
  program: string,
  args: readonly string[],
  variables: Record<string, string> = {},
  user: User = {},
): Promise<Ended> {
  const env = { ...process.env, ...variables };
  const child = spawn(program, args, { ...user, env, stdio: ["ignore", "pipe", "pipe"] });
  let [output, errors] = ["", ""];
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (errors += chunk));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output, errors };
}
