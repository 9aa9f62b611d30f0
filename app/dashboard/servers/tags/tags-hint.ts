import { MAX_TAG_LENGTH, MAX_TAGS } from "@/lib/servers/tag-text";

/** Below the fields of tags. */
export const TAGS_HINT = `With commas between them: at most ${MAX_TAGS}, each of ${MAX_TAG_LENGTH} characters. Capitals count as small letters.`;
/** Room for more than is allowed, so that too much gets a sentence instead of being cut. */
export const TAGS_LENGTH = 1000;
