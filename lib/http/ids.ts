import { NotFoundError } from "@/lib/failures";

/** The largest value of a PostgreSQL `integer`. */
const MAX_ID = 2 ** 31 - 1;

/**
 * The identifier in a path: canonical decimal digits within the range of the column.
 * @throws NotFoundError for anything else, exactly as for an identifier that nothing has.
 */
export function parseId(text: string): number {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(id <= MAX_ID)) throw new NotFoundError();
  return id;
}
