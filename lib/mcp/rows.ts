import { z } from "zod";
import { InvalidInputError } from "@/lib/failures";

/** The most rows of an answer, and those that one without `limit` has. */
const MAX_ROWS = 100;
const DEFAULT_ROWS = 20;
const MAX_FILTERS = 5;

type Json = Record<string, unknown>;

/** What a caller may ask of a list whose rows have these fields; the fields are the API's, inner ones with a dot. */
export const rowsInput = z.strictObject({
  where: z
    .array(
      z.strictObject({
        field: z.string(),
        is: z.enum(["=", "!=", "<", ">"]),
        value: z.union([z.number(), z.boolean(), z.string().max(300), z.null()]),
      }),
    )
    .max(MAX_FILTERS)
    .optional(),
  sort: z.string().optional().describe('A field; "-field": greatest first'),
  fields: z.array(z.string()).min(1).max(20).optional(),
  limit: z.int().min(1).max(MAX_ROWS).optional().describe(`${DEFAULT_ROWS} if absent`),
});
type RowsInput = z.infer<typeof rowsInput>;

/** The fields that a question names. */
export function fieldsOf({ where = [], sort, fields = [] }: RowsInput): string[] {
  return [...where.map(({ field }) => field), ...fields, ...(sort === undefined ? [] : [sort.replace(/^-/, "")])];
}

/**
 * Filters, sorts and cuts rows. A row without a field, or with null there, matches no comparison by size and stands last.
 * `total` counts all rows, `matching` those that the filters leave.
 * @throws InvalidInputError for a field that is not among `known`.
 */
export function selectRows(
  rows: readonly Json[],
  known: readonly string[],
  standard: readonly string[],
  input: RowsInput,
) {
  const { where = [], sort, fields = standard, limit = DEFAULT_ROWS } = input;
  const sortField = sort?.replace(/^-/, "");
  for (const field of fieldsOf(input)) {
    if (!known.includes(field)) throw new InvalidInputError(`Unknown field. Known: ${known.join(", ")}.`);
  }
  const matching = rows.filter((row) =>
    where.every(({ field, is, value }) => compares(valueAt(row, field), is, value)),
  );
  const direction = sort?.startsWith("-") ? -1 : 1;
  const sorted = sortField
    ? matching.toSorted((a, b) => order(valueAt(a, sortField), valueAt(b, sortField), direction))
    : matching;
  const shown = sorted
    .slice(0, limit)
    .map((row) => Object.fromEntries(fields.map((field) => [field, valueAt(row, field)])));
  return { total: rows.length, matching: matching.length, rows: shown };
}

function valueAt(row: Json, field: string): unknown {
  let value: unknown = row;
  for (const name of field.split(".")) value = (value as Json | null | undefined)?.[name];
  return value;
}

function compares(value: unknown, is: "=" | "!=" | "<" | ">", wanted: unknown): boolean {
  if (is === "=") return (value ?? null) === wanted;
  if (is === "!=") return (value ?? null) !== wanted;
  if (typeof value !== typeof wanted || (typeof value !== "number" && typeof value !== "string")) return false;
  return is === "<" ? value < (wanted as typeof value) : value > (wanted as typeof value);
}

/** What is absent stands last, in either direction. */
function order(a: unknown, b: unknown, direction: 1 | -1): number {
  if (a == null || b == null) return Number(a == null) - Number(b == null);
  return a === b ? 0 : a < b ? -direction : direction;
}
