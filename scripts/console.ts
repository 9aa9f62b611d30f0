import { PlainError } from "@/lib/failures";
import { callMain } from "./called-as";

const COMMANDS = {
  account: { of: "accounts: list, create, disable, roles, passwords", load: () => import("./account") },
  server: { of: "servers and their keys: list, add, remove, replace a key", load: () => import("./server") },
  edge: { of: "edge nodes and their keys: list, add, remove, replace a key", load: () => import("./edge") },
  notices: { of: "sends a test by each channel of an account", load: () => import("./notices") },
  sweep: {
    of: "deletes at once what has passed its time, as an instance does every hour",
    load: () => import("./sweep"),
  },
} as const;

const LINES = Object.entries(COMMANDS).map(([name, { of }]) => `  npm run console -- ${name.padEnd(8)} ${of}`);
const HELP = `Runs a command of operators on the database that DATABASE_URL names. With "help" behind its name each says more.

${LINES.join("\n")}`;

/** `npm run console`: the commands of operators. */
export async function main([name = "help", ...args]: string[]): Promise<void> {
  if (["help", "--help", "-h"].includes(name)) return console.log(HELP);
  if (!Object.hasOwn(COMMANDS, name)) throw new PlainError(`There is no command "${name}".\n\n${HELP}`);
  const { main: run } = await COMMANDS[name as keyof typeof COMMANDS].load();
  await callMain(["console", name], run, args);
}
