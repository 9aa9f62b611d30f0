import { type InvalidField, invalid } from "@/lib/failures";
import { nameProblem, normalName } from "@/lib/format/names";
import { containsToken } from "@/lib/tokens/format";

/** In characters as people count them (code points). */
export const MAX_TOKEN_NAME_LENGTH = 64;

/** The name of a token, trimmed; or what is wrong with it. */
export function checkTokenName(text: string): { kind: "valid"; name: string } | InvalidField<"name"> {
  const name = normalName(text);
  const problem = problemOf(name);
  return problem === null ? { kind: "valid", name } : invalid("name", problem);
}

function problemOf(name: string): string | null {
  if (name === "") return "Give the token a name.";
  if (containsToken(name)) {
    return "That looks like a token. Give the token a name that says where it will be used.";
  }
  return nameProblem("name", name, MAX_TOKEN_NAME_LENGTH);
}
