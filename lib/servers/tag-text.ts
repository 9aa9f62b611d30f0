// What pages know of tags in the browser as well; the rest of their rules is in `tags.ts`.

/** Tags of one server. */
export const MAX_TAGS = 10;
/** In characters as people count them (code points). */
export const MAX_TAG_LENGTH = 32;

/** Texts that mean the same tag: in lower case, composed, with single spaces. */
export function foldTag(text: string): string {
  return text.normalize("NFC").toLowerCase().trim().replace(/\s+/g, " ");
}
