/**
 * An outcome that is expected and says everything in its message. It has no stack: nobody reads it, and taking it would
 * make a refusal cost more than an answer.
 */
export class StacklessError extends Error {
  constructor(message: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** What a resource throws; `lib/api/errors.ts` turns it into a status. Their messages are for the caller. */

/** There is no such thing, or the account may not see it: deliberately the same. */
export class NotFoundError extends StacklessError {
  override name = "NotFoundError";
  constructor() {
    super("Not found.");
  }
}

/** The message is a whole sentence for a client or the person at the terminal, so no stack is shown. */
export class PlainError extends Error {
  override name = "PlainError";
}

/** The files or tables of a database are none that this version can use. Nothing of them was changed. */
export class UnusableDatabaseError extends PlainError {
  override name = "UnusableDatabaseError";
}

/** A query parameter, or an argument of a command, has a value that is not allowed. The message says which values are. */
export class InvalidInputError extends PlainError {
  override name = "InvalidInputError";
}

/** What one field of a form holds cannot be used. Expected of a form, so it is returned and never thrown. */
export type InvalidField<Field extends string> = { kind: "invalid"; field: Field; message: string };

export function invalid<Field extends string>(field: Field, message: string): InvalidField<Field> {
  return { kind: "invalid", field, message };
}
