import { NotFoundError } from "@/lib/failures";

/** The largest value of a PostgreSQL `integer`. */
export const MAX_ID = 2 ** 31 - 1;

/** The identifier that a text holds: canonical decimal digits within the range of the column; null for anything else. */
export function findId(text: string): number | null {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN;
  return id <= MAX_ID ? id : null;
}

/**
 * The identifier in a path.
 * @throws NotFoundError for a text that is no identifier, exactly as for an unknown one.
 */
export function parseId(text: string): number {
  const id = findId(text);
  if (id === null) throw new NotFoundError();
  return id;
}
