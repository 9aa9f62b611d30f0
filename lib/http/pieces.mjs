/** In characters: what is longer is sent piece by piece, so that a second copy of it never exists. */
export const PIECE = 65_536;

/**
 * The bytes of a text or of bytes, piece by piece. No character is cut in two.
 * @param {string | Buffer} content
 * @returns {Generator<Uint8Array, undefined>}
 */
export function* piecesOf(content) {
  for (let start = 0; start < content.length; ) {
    const end = start + PIECE - (typeof content === "string" && isInsideCharacter(content, start + PIECE) ? 1 : 0);
    yield Buffer.from(content.slice(start, end));
    start = end;
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
