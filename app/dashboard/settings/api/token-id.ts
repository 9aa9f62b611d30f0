import { NotFoundError } from "@/lib/failures";
import { parseId } from "@/lib/http/ids";

/** The number of a token in a form or in the query; null for what can be none. */
export function findTokenId(text: string): number | null {
  try {
    return parseId(text);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
