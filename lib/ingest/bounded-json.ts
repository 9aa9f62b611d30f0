import { ApiError } from "@/lib/api/api-error";
import { MAX_ENTRIES, MAX_PARTS, tooManyEntries, tooManyParts } from "./body-bounds";
import { utf8 } from "./read-body";

type Bounds = {
  /** The arrays whose elements are entries, by the names that they have as members. "": an array that is no member. */
  lists: ReadonlySet<string>;
  maxParts: number;
  /** How deep objects and arrays may stand in each other. */
  maxDepth: number;
};
const BOUNDS: Bounds = { lists: new Set(), maxParts: MAX_PARTS, maxDepth: 32 };

/**
 * Parses a body. Its depth, entries and parts are counted in its bytes first, since `JSON.parse` cannot be stopped.
 * @throws ApiError 413 with too many entries or parts, 400 when it is too deep, no JSON or no UTF-8.
 */
export function parseBoundedJson(bytes: Buffer, bounds: Partial<Bounds> = {}): unknown {
  requireBounded(bytes, bounds);
  const text = utf8(bytes);
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, "The body is not JSON.");
  }
}

const [QUOTE, BACKSLASH, COMMA, COLON, SPACE] = [0x22, 0x5c, 0x2c, 0x3a, 0x20];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts what a body is made of, up to the first bound. It need not be JSON. @throws ApiError 413, 400 */
export function requireBounded(bytes: Buffer, bounds: Partial<Bounds> = {}): void {
  const { lists, maxParts, maxDepth } = { ...BOUNDS, ...bounds };
  let [depth, entries, parts] = [0, 0, 0];
  const isList = [false];
  // Where the last text stands, and whether it is the name of what comes next.
  let [from, to, isName] = [0, 0, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte <= SPACE) continue;
    const isOpening = byte === OPEN_ARRAY || byte === OPEN_OBJECT;
    if (byte === QUOTE) {
      from = at + 1;
      at = endOfText(bytes, from);
      to = at;
    } else if (isOpening) {
      depth++;
      if (depth > maxDepth) throw new ApiError(400, `The body is nested deeper than ${maxDepth} levels.`);
      isList[depth] = byte === OPEN_ARRAY && isEntryList(isName ? bytes.subarray(from, to) : EMPTY, lists);
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth = Math.max(0, depth - 1);
    }
    if (isOpening || byte === COMMA || byte === COLON) {
      parts++;
      if (parts > maxParts) throw tooManyParts("", maxParts);
    }
    if ((isOpening || byte === COMMA) && isList[depth]) {
      entries++;
      if (entries > MAX_ENTRIES) throw tooManyEntries();
    }
    isName = byte === COLON;
  }
}

const EMPTY = Buffer.alloc(0);

/** A name that is written with escapes might be any. */
function isEntryList(name: Buffer, lists: Bounds["lists"]): boolean {
  return name.includes(BACKSLASH) || lists.has(name.toString());
}

/** Where the text that begins here ends: at its quote, or with the body. */
function endOfText(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
