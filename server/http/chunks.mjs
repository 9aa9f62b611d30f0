// Bounds the chunks of a body. Each costs Node some microseconds, whatever its size, so a body in chunks of one byte costs
// a thousand times what it costs whole.

/** A body may have this many chunks, and one more for each so many bytes: the gzip of Go's clients makes such ones. */
const FREE_CHUNKS = 1_000;
const BYTES_PER_CHUNK = 240;
/** In bytes. Smaller chunks are joined, up to so many bytes, because each piece costs its reader more than the parser. */
const JOINED_UP_TO = 16_384;

/**
 * Joins the small chunks of a body. Calls `refuse` once when there are too many. Its connection is paused then, what was
 * read already is thrown away, and what comes is no longer looked at.
 * @param {import("node:http").IncomingMessage} request
 * @param {() => void} refuse
 */
export function boundChunks(request, refuse) {
  if (request.headers["transfer-encoding"] === undefined) return;
  const { push } = request;
  let [chunks, bytes, joined] = [0, 0, 0];
  /** @type {Buffer[]} */
  let waiting = [];
  const flush = () => {
    const pieces = waiting;
    [waiting, joined] = [[], 0];
    return pieces.length === 0 || request.destroyed || push.call(request, Buffer.concat(pieces));
  };
  // Node's parser calls this for each chunk. It has no event that comes before the chunk is queued.
  request.push = (/** @type {Buffer | null} */ chunk) => {
    if (chunk === null) {
      flush();
      return push.call(request, null);
    }
    bytes += chunk.length;
    if (++chunks > FREE_CHUNKS + bytes / BYTES_PER_CHUNK) {
      waiting = [];
      request.push = () => true;
      stopParsing(request.socket);
      // Not within the parser's call: refusing may take the connection from it.
      process.nextTick(refuse);
      return false;
    }
    if (waiting.length === 0) {
      if (chunk.length >= JOINED_UP_TO) return push.call(request, chunk);
      setImmediate(flush);
    }
    waiting.push(chunk);
    joined += chunk.length;
    // False stops the socket, because nobody reads: what `flush` says later, the parser does not hear.
    return joined < JOINED_UP_TO ? request.readableLength < JOINED_UP_TO : flush();
  };
}

/**
 * Has Node's parser skip the chunks that it has read already: up to 10,000, each of which it would hand over.
 * @param {import("node:net").Socket} socket
 */
function stopParsing(socket) {
  const parser = Reflect.get(socket, "parser") ?? {};
  const key = Object.keys(parser).find((name) => parser[name]?.name === "parserOnBody");
  if (key === undefined) return;
  const { [key]: handOver } = parser;
  parser[key] = null;
  // Node uses the parser again for another connection.
  socket.once("close", () => (parser[key] = handOver));
}
