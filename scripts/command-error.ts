import { PlainError } from "@/lib/failures";

/** A command cannot go on, and the message says why to whoever typed it: printed without a stack, exit code 1. */
export class CommandError extends PlainError {
  override name = "CommandError";
}
