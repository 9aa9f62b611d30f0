import { ApiError } from "@/lib/api/api-error";

// A decoder of our own for one block: https://github.com/google/snappy/blob/main/format_description.txt. Of the libraries,
// snappyjs takes a body that is shorter or longer than it announces, hysnappy unpacks the bodies of all senders in one memory, to
// a length that its caller vouches for, and snappy is native code for each platform. They would leave half of this file to do.

/** Three bytes are the fewest that stand for 64. */
const MOST_TIMES_SMALLER = 64 / 3;

/**
 * Unpacks a block of Snappy, which begins with its length.
 * @throws `tooLarge` when it announces more than `maxBytes`, before anything is unpacked.
 * @throws ApiError 400 when it is not whole.
 */
export function unpackSnappy(packed: Uint8Array, maxBytes: number, tooLarge: () => ApiError): Buffer {
  const { length, start } = announcedLength(packed);
  if (length > maxBytes) throw tooLarge();
  if (length > packed.length * MOST_TIMES_SMALLER) throw broken();
  const unpacked = Buffer.allocUnsafeSlow(length);
  let [from, to] = [start, 0];
  while (from < packed.length) {
    const tag = packed[from++] as number;
    const kind = tag & 3;
    const size = kind === 0 ? literalSizeBytes(tag) : kind === 3 ? 4 : kind;
    if (from + size > packed.length) throw broken();
    const number = littleEndian(packed, from, size);
    from += size;
    const count =
      kind === 0 ? (size === 0 ? tag >> 2 : number) + 1 : kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    if (to + count > length) throw broken();
    const back = kind === 1 ? ((tag >> 5) << 8) | number : number;
    if (kind === 0 ? from + count > packed.length : back === 0 || back > to) throw broken();
    const [source, first] = kind === 0 ? [packed, from] : [unpacked, to - back];
    // Byte by byte: a copy may reach into what it writes, and most literals are too short for a call.
    for (let index = 0; index < count; index++) unpacked[to + index] = source[first + index] as number;
    if (kind === 0) from += count;
    to += count;
  }
  if (to !== length) throw broken();
  return unpacked;
}

/** How many bytes after the tag say how long the literal is. */
function literalSizeBytes(tag: number): number {
  return Math.max(0, (tag >> 2) - 59);
}

function littleEndian(bytes: Uint8Array, from: number, size: number): number {
  let number = 0;
  for (let index = size - 1; index >= 0; index--) number = number * 256 + (bytes[from + index] as number);
  return number;
}

function announcedLength(packed: Uint8Array): { length: number; start: number } {
  let length = 0;
  for (let index = 0; index < 5; index++) {
    const byte = packed[index];
    if (byte === undefined) break;
    length += (byte & 127) * 2 ** (7 * index);
    if (byte < 128) return { length, start: index + 1 };
  }
  throw broken();
}

function broken(): ApiError {
  return new ApiError(400, "The body is not one whole block of Snappy.");
}
