// Ends connections so that clients read the last answer. Bytes that come to a socket that is closed make the kernel drop
// what its client has not read yet.
import { freeBytes } from "../direct/free-bytes.mjs";

/** In bytes: the most that is read and thrown away of what comes after an answer. */
const MOST_DISCARDED = 16 * 2 ** 20;
/** For how long, in milliseconds, where the connection's own time does not say. */
const DISCARDING = 5_000;

/**
 * Throws away the pieces that come from now on, and cuts the connection when they are too many.
 * @param {import("node:stream").Readable} from
 * @param {import("node:stream").Duplex} socket
 */
export function discardFrom(from, socket) {
  let left = MOST_DISCARDED;
  from.on("data", (/** @type {Buffer} */ piece) => {
    left -= piece.length;
    freeBytes(piece);
    if (left < 0) socket.destroy();
  });
}

/**
 * Sends the last bytes of a connection, and then reads and throws away what still comes, up to a bound in time and in
 * bytes. No further request of the connection is read.
 * @param {import("node:stream").Duplex} socket
 * @param {string} [bytes]
 * @param {number} [discarding] in milliseconds
 */
export function endAfterRest(socket, bytes = "", discarding = DISCARDING) {
  const discard = () => {
    // The parser listens as well.
    socket.removeAllListeners("data");
    discardFrom(socket, socket);
  };
  // Node 20 reads from a paused socket again only while the parser still listens.
  if (socket.isPaused()) socket.once("resume", discard);
  else discard();
  socket.resume();
  socket.end(bytes);
  const timer = setTimeout(() => socket.destroy(), discarding).unref();
  socket.once("close", () => clearTimeout(timer));
}
