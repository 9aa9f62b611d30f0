import type { z } from "zod";

/** Error messages repeat at most this many characters of an unknown field name. */
const MAX_ECHO = 64;

/** Describes the first mistake in a body, in a sentence that names the field. `what` names the expected body. */
export function describeIssue(issue: z.core.$ZodIssue | undefined, what: string): string {
  if (issue?.code === "unrecognized_keys") {
    const [name] = issue.keys;
    return `${cut([...issue.path, name].join("."))}: is not a field of ${what}.`;
  }
  const field = issue?.path.map(String).join(".");
  const problem = (issue?.message ?? "is wrong").replace(/^Invalid input: |^Too (?:big|small): /, "");
  return field ? `${cut(field)}: ${problem}.` : `The body must be a JSON object: ${problem}.`;
}

function cut(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "").slice(0, MAX_ECHO);
}
