import { PlainError } from "@/lib/failures";

/** Reads the arguments of a command. What is wrong with them is said above the `help`. @throws PlainError */
export function readOrHelp<Read>(help: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw new PlainError(`${error instanceof Error ? error.message : error}\n${help}`);
  }
}
