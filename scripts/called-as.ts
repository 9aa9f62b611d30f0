import { PlainError } from "@/lib/failures";

/** Those of operators. Each has an alias of its own name. */
const SUBCOMMANDS_OF_CONSOLE = ["account", "server", "edge", "notices", "sweep"];

/** How a command is called. */
export function calledAs(command: string): string {
  return SUBCOMMANDS_OF_CONSOLE.includes(command) ? `npm run console -- ${command}` : `npm run ${command} --`;
}

/** As `calledAs`, for a command without arguments. */
export function calledAlone(command: string): string {
  return calledAs(command).replace(/ --$/, "");
}

/**
 * Runs a command. One whose `main` has no parameter takes no arguments: "sweep --help" would delete rows, and "start -p 80"
 * would listen elsewhere. @throws PlainError, and what `main` throws
 */
export function callMain<Result>(command: string, main: (args: string[]) => Result, args: string[]): Result {
  const [first] = args;
  if (main.length === 0 && first !== undefined) {
    throw new PlainError(
      `"${calledAlone(command)}" takes no arguments, so not ${JSON.stringify(first)}. Its settings are variables of the environment.`,
    );
  }
  return main(args);
}
