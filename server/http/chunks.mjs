// Bounds the chunks of a body. Each costs Node some microseconds, whatever its size, so a body in chunks of one byte costs
// a thousand times what it costs whole.

/** A body may have this many chunks, and one more for each so many bytes. The gzip of Go's clients makes chunks of 240. */
const FREE_CHUNKS = 1_000;
const BYTES_PER_CHUNK = 128;

/**
 * Calls `refuse` once when a body comes in too many small chunks. Its connection is paused then, and what was read already is
 * thrown away.
 * @param {import("node:http").IncomingMessage} request
 * @param {() => void} refuse
 */
export function boundChunks(request, refuse) {
  if (request.headers["transfer-encoding"] === undefined) return;
  const { push } = request;
  let chunks = 0;
  let bytes = 0;
  // Node's parser calls this for each chunk. It has no event that comes before the chunk is queued.
  request.push = (/** @type {Buffer | null} */ chunk) => {
    if (chunk === null) return push.call(request, null);
    bytes += chunk.length;
    if (++chunks <= FREE_CHUNKS + bytes / BYTES_PER_CHUNK) return push.call(request, chunk);
    request.push = () => true;
    // Not within the parser's call: refusing may take the connection from it.
    process.nextTick(refuse);
    return false;
  };
}
