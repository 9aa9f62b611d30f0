/** What a resource throws; `lib/api/errors.ts` turns it into a status. Their messages are for the caller. */

/** There is no such thing, or the account may not see it: deliberately the same. */
export class NotFoundError extends Error {
  override name = "NotFoundError";
  constructor() {
    super("Not found.");
  }
}

/** A query parameter or a form field has a value that is not allowed. The message says which values are. */
export class InvalidInputError extends Error {
  override name = "InvalidInputError";
}
