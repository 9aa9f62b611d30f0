// A handler's Response as Node sends it. With a server of Node's own that takes one (nodejs/node#63096), compression and
// the bounds would remain.
import { once } from "node:events";
import { Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { createGzip, gzip as gzipWithCallback } from "node:zlib";
import { PIECE, piecesOf } from "../../lib/http/pieces.mjs";

const gzip = promisify(gzipWithCallback);

/** Less than so many bytes gain nothing from compression. */
const COMPRESSED_FROM = 1024;
/** A client that needs longer for its answer is cut off. */
const READING_MS = 120_000;

/**
 * Sends the answer of a handler.
 * @param {Response & { content?: readonly string[], whenRead?: (() => void) | undefined }} answer
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {Iterable<readonly [string, string]>} fixed headers that do not depend on the answer
 * @param {number} [readingMs] within which the client must have taken it
 */
export async function send(answer, request, response, fixed, readingMs) {
  // A TextResponse shows its text; everything else is short.
  const parts = answer.content ?? [Buffer.from(await answer.arrayBuffer())];
  const { method = "GET", headers } = request;
  const asked = { method, accepted: String(headers["accept-encoding"] ?? ""), readingMs };
  try {
    if (!response.destroyed) await sendBody(parts, answer.status, [...fixed, ...answer.headers], asked, response);
  } finally {
    answer.whenRead?.();
  }
}

/**
 * Sends headers, and the body unless the request was a HEAD: compressed for those who ask when that is worth it.
 * @param {readonly (string | Buffer)[]} parts of the body
 * @param {number} status
 * @param {(readonly [string, string])[]} pairs headers
 * @param {{ method: string, accepted: string, readingMs?: number | undefined }} asked `accepted`: the Accept-Encoding header
 * @param {import("node:http").ServerResponse} response
 */
export async function sendBody(parts, status, pairs, asked, response) {
  const { method, accepted, readingMs = READING_MS } = asked;
  let length = 0;
  // Looking at megabytes takes its time as well.
  for (const part of parts) {
    length += Buffer.byteLength(part);
    if (part.length > PIECE) await nextTurn();
  }
  const isWithBody = method !== "HEAD" && length > 0;
  const isEncoded = pairs.some(([name]) => name === "content-encoding");
  const isCompressed = isWithBody && !isEncoded && length >= COMPRESSED_FROM && acceptsGzip(accepted);
  const headers = ["Vary", "Accept-Encoding"];
  for (const [name, value] of pairs) {
    if (name !== "content-length") headers.push(name, value);
  }
  if (isCompressed) headers.push("Content-Encoding", "gzip");
  else if (isWithBody) headers.push("Content-Length", String(length));
  const isShort = length <= PIECE;
  const [body = ""] = parts.length === 1 ? parts : isShort ? [parts.join("")] : [];
  const bytes = isShort && isCompressed ? await gzip(body) : body;
  response.writeHead(status, headers);
  if (!isWithBody) response.end();
  else if (isShort) response.end(bytes);
  else await sendPieces(parts, isCompressed, length, response, readingMs);
}

/**
 * @param {readonly (string | Buffer)[]} parts
 * @param {boolean} isCompressed
 * @param {number} length of all, in bytes
 * @param {import("node:http").ServerResponse} response
 * @param {number} readingMs
 */
async function sendPieces(parts, isCompressed, length, response, readingMs) {
  // The socket of the request: an answer that waits behind another one on its connection has none, and is told nothing
  // of its end.
  const { socket } = response.req;
  const ended = new AbortController();
  // A client that left or was too slow loses the rest. Nobody is left to be told.
  const deadline = setTimeout(() => socket.destroy(), readingMs);
  try {
    if (socket.destroyed) return;
    const sent = isCompressed
      ? pipeline(Readable.from(piecesOf(parts)), createGzip(), response)
      : writePieces(parts, length, response);
    await Promise.race([sent, once(socket, "close", { signal: ended.signal })]);
  } catch {
    response.destroy();
  } finally {
    clearTimeout(deadline);
    ended.abort();
  }
}

/**
 * @param {readonly (string | Buffer)[]} parts
 * @param {number} length of all, in bytes
 * @param {import("node:http").ServerResponse} response
 */
async function writePieces(parts, length, response) {
  // Texts go to the socket as they are: buffers made of them would be as much garbage again. With a byte for every
  // character, no character needs a look.
  const isAscii = length === parts.reduce((sum, part) => sum + part.length, 0);
  for (const piece of piecesOf(parts)) {
    if (response.destroyed) return;
    response.write(piece, isAscii ? "latin1" : "utf8");
    // A client that reads at once would get all of it before anybody else gets anything.
    await nextTurn();
    if (response.writableNeedDrain) await once(response, "drain");
  }
  response.end();
  await finished(response);
}

/** Whether `gzip`, or anything, is among the encodings and not with a weight of 0. */
export function acceptsGzip(header = "") {
  return header
    .toLowerCase()
    .split(",")
    .map((part) => part.split(";").map((text) => text.trim()))
    .some(([name, weight = ""]) => (name === "gzip" || name === "*") && !/^q=0(?:\.0*)?$/.test(weight));
}
