/** Line breaks, control characters, broken surrogates, and what turns the direction of the text around it. */
export const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** Anything that is drawn: not spaces, not marks without a letter, not what stands for nothing (U+200B, U+3164, …). */
const VISIBLE = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * Why a text, trimmed, can be no name of anything; null when it can.
 * @param what how the message calls it
 * @param maxLength in characters as people count them (code points)
 */
export function nameProblem(what: "name" | "label" | "text" | "tag", name: string, maxLength: number): string | null {
  // A code point is at most two units, so a long text is refused without being looked at.
  if (name.length > 2 * maxLength || [...name].length > maxLength)
    return `A ${what} has at most ${maxLength} characters.`;
  if (UNPRINTABLE.test(name)) {
    return `A ${what} cannot hold line breaks, control characters or text-direction characters.`;
  }
  if (name !== "" && !VISIBLE.test(name)) return `A ${what} needs at least one character that can be seen.`;
  return null;
}
