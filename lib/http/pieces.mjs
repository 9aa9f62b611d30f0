/** In characters. Longer texts are sent piece by piece, so that no second copy of them exists. */
export const PIECE = 65_536;

/**
 * Texts or bytes, one after the other, piece by piece. No character is cut in two.
 * @param {readonly (string | Buffer)[]} parts
 * @returns {Generator<string | Buffer, undefined>}
 */
export function* piecesOf(parts) {
  for (const part of parts) {
    for (let start = 0; start < part.length; ) {
      const end = start + PIECE - (typeof part === "string" && isInsideCharacter(part, start + PIECE) ? 1 : 0);
      yield typeof part === "string" ? part.slice(start, end) : part.subarray(start, end);
      start = end;
    }
  }
}

/**
 * Whether the two halves of one character stand before and after `index`.
 * @param {string} text
 * @param {number} index
 */
function isInsideCharacter(text, index) {
  return index < text.length && (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}
