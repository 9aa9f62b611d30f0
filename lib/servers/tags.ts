import { nameProblem, normalName, UNPRINTABLE } from "@/lib/format/names";
import { foldTag, MAX_TAG_LENGTH, MAX_TAGS } from "@/lib/servers/tag-text";
import { containsToken } from "@/lib/tokens/format";

/** Letters of any script and digits first, then also what joins letters and words. */
const TAG = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._:/+@#-]|\p{Join_Control})*$/u;

type CheckedTags = { kind: "valid"; tags: string[] } | { kind: "invalid"; message: string };

/** Tags as a person typed them, with commas or line breaks between them: normalised, each once, in order; or what is wrong. */
export function checkTags(typed: string): CheckedTags {
  const tags = new Set<string>();
  for (const text of typed.split(/[,\r\n]/)) {
    if (text.trim() === "") continue;
    const tag = normalTag(text);
    if (tag === null) return { kind: "invalid", message: problemOf(text) };
    tags.add(tag);
    if (tags.size > MAX_TAGS) return { kind: "invalid", message: `A server has at most ${MAX_TAGS} tags.` };
  }
  return { kind: "valid", tags: [...tags].sort() };
}

/** A tag as it is stored; null: it can be none. */
export function normalTag(text: string): string | null {
  // A code point is at most two units, and composing can halve a text several times.
  if (text.length > 8 * MAX_TAG_LENGTH || UNPRINTABLE.test(text)) return null;
  const tag = foldTag(text);
  return nameProblem("tag", tag, MAX_TAG_LENGTH) === null && TAG.test(tag) && !containsToken(text) ? tag : null;
}

function problemOf(text: string): string {
  if (containsToken(text)) return "That looks like a token or a key. Enter tags.";
  const shown = [...text.trim()]
    .slice(0, MAX_TAG_LENGTH)
    .filter((letter) => !UNPRINTABLE.test(letter))
    .join("");
  const problem = nameProblem("tag", normalName(text), MAX_TAG_LENGTH);
  if (problem !== null) return `${problem} Change this one: “${shown}”.`;
  return `A tag begins with a letter or a digit. Letters, digits, spaces and . _ : / + @ # - may follow. Change this one: “${shown}”.`;
}

/** The tags of a server after some were added and others removed; null: they would be too many. */
export function changedTags(
  before: readonly string[],
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): string[] | null {
  const tags = [...new Set([...before, ...add])].filter((tag) => !remove.includes(tag)).sort();
  return tags.length > MAX_TAGS ? null : tags;
}
