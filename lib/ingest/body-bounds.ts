import { ApiError } from "@/lib/api/api-error";

/** The most entries of one body, whatever its endpoint calls them: lines, series, samples, points, value lists, values. */
export const MAX_ENTRIES = 10_000;
/** The most parts that its entries are made of: labels, tags, fields; in JSON each member, element, object and array. */
export const MAX_PARTS = 50_000;
/** The most bad entries that an answer names. The good ones are stored. */
export const MAX_PROBLEMS = 100;
/** How many are told when there are more, and nothing is stored. */
const TOLD_OF_TOO_MANY = 10;

export function tooManyEntries(hint = ""): ApiError {
  return new ApiError(413, `The body has more than ${MAX_ENTRIES} entries. ${hint || "Send smaller batches."}`);
}

export function tooManyParts(hint = "", most = MAX_PARTS): ApiError {
  return new ApiError(413, `The body has more than ${most} parts. ${hint || "Send smaller batches."}`);
}

/** The mistakes of a body, in the order in which they stand in it. */
export class Problems {
  readonly list: string[] = [];

  /** @throws ApiError 400 when too much of the body is bad to store the rest. */
  add(problem: string): void {
    if (this.list.length === MAX_PROBLEMS) {
      const told = this.list.slice(0, TOLD_OF_TOO_MANY).join(" ");
      throw new ApiError(400, `More than ${MAX_PROBLEMS} entries are wrong, so nothing was stored. ${told}`);
    }
    this.list.push(problem);
  }
}
