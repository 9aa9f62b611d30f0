import { PlainError } from "@/lib/failures";

/** How a command is called, such as `migrate`, or `console` and one of its own. */
export function calledAs(command: string, ...words: string[]): string {
  return [`npm run ${command} --`, ...words].join(" ");
}

/** As `calledAs`, for a command without arguments. */
export function calledAlone(...words: [string, ...string[]]): string {
  return calledAs(...words).replace(/ --$/, "");
}

/**
 * Runs a command. One whose `main` has no parameter takes no arguments: "sweep --help" would delete rows, and "start -p 80"
 * would listen elsewhere. @throws PlainError, and what `main` throws
 */
export function callMain<Result>(
  words: [string, ...string[]],
  main: (args: string[]) => Result,
  args: string[],
): Result {
  const [first] = args;
  if (main.length === 0 && first !== undefined) {
    throw new PlainError(
      `"${calledAlone(...words)}" takes no arguments, so not ${JSON.stringify(first)}. Its settings are variables of the environment.`,
    );
  }
  return main(args);
}
