/** Line breaks, control characters, broken surrogates, and what turns the direction of the text around it. */
export const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** Anything that is drawn: not spaces, not marks without a letter, not what stands for nothing (U+200B, U+3164, …). */
const VISIBLE = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Stands for nothing that is drawn. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB\u{1D159}]/u;

/** Letters that a joiner between them draws in another way. */
const JOINED = ["Arab", "Syrc", "Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh"]
  .map((script) => `\\p{scx=${script}}`)
  .join("");
/** What is not drawn by itself, where it changes what is: in Persian and Indic words, and within emoji. */
const NEEDED = new RegExp(
  [
    `(?<=[${JOINED}])[\\u200C\\u200D](?=[${JOINED}])`,
    "(?<=[\\p{ExtPict}\\p{EMod}\\uFE0F])\\u200D(?=\\p{ExtPict})",
    "(?<=\\p{ExtPict})[\\uFE0E\\uFE0F]",
    "(?<=[0-9#*])\\uFE0F(?=\\u20E3)",
    "(?<=\\u{1F3F4})[\\u{E0020}-\\u{E007E}]+\\u{E007F}",
  ].join("|"),
  "gu",
);

/** A name as it is stored: composed, so that the same name is the same text, and trimmed. */
export const normalName = (text: string): string => text.normalize("NFC").trim();

/**
 * Why a text, as `normalName` answers it, can be no name of anything; null when it can.
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
  const [unseen] = INVISIBLE.exec(name.replaceAll(NEEDED, "")) ?? [];
  if (unseen === undefined) return null;
  const code = unseen.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
  return `A ${what} cannot hold characters that nobody can see. This one holds U+${code}.`;
}
