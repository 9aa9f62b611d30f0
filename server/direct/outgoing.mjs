// Sends a handler's Response over Node's server. Node may get a server that takes a Response (nodejs/node#63096); this
// file would then keep only compression and the limits.
import { once } from "node:events";
import { Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { createGzip, gzip as gzipWithCallback } from "node:zlib";
import { PIECE, piecesOf } from "../../lib/http/pieces.mjs";
import { findShared } from "../../lib/process/shared-with-server.mjs";

const gzip = promisify(gzipWithCallback);

/**
 * Blocks of 4,096 symbols and not of 16,384, each with a code of its own. Pages of charts, whose parts differ, are a fiftieth
 * shorter, other answers as long, and a compressor takes 96 KB less memory.
 */
const GZIP = { memLevel: 6 };
/** In bytes. Compressing shorter bodies saves nothing. */
const COMPRESSED_FROM = 1024;
/** A client that takes longer to read a long answer is disconnected. */
const READING_MS = 120_000;
/**
 * While others wait for memory, a client that takes fewer bytes than this in this time is disconnected. The time is
 * shorter than those others wait, and is looked at twice as often.
 */
const SLOWEST = { bytes: 16_384, ms: 1_000 };

/**
 * Sends the answer of a handler.
 * @param {Response & { content?: readonly string[], whenRead?: (() => void) | undefined }} answer
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {Iterable<readonly [string, string]>} fixed headers that do not depend on the answer
 * @param {number} [readingMs] within which the client must have taken it
 */
export async function send(answer, request, response, fixed, readingMs) {
  // Only a TextResponse can be long. Any other body is short enough to copy.
  const parts = answer.content ?? [Buffer.from(await answer.arrayBuffer())];
  const { method = "GET", headers } = request;
  const sending = { method, accepted: String(headers["accept-encoding"] ?? ""), readingMs };
  try {
    if (!response.destroyed) await sendBody(parts, answer.status, [...fixed, ...answer.headers], sending, response);
  } finally {
    answer.whenRead?.();
  }
}

/**
 * Sends headers and a body. HEAD gets no body. Long enough bodies are compressed if the client accepts gzip.
 * @param {readonly (string | Buffer)[]} parts of the body
 * @param {number} status
 * @param {(readonly [string, string])[]} pairs headers
 * @param {{ method: string, accepted: string, readingMs?: number | undefined }} sending `accepted`: the Accept-Encoding header
 * @param {import("node:http").ServerResponse} response
 */
export async function sendBody(parts, status, pairs, sending, response) {
  const { method, accepted, readingMs = READING_MS } = sending;
  let length = 0;
  // Counting the bytes of megabytes of text blocks the event loop, so other requests get a turn in between.
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
  const bytes = isShort && isCompressed ? await gzip(body, GZIP) : body;
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
  // `response.socket` is null while earlier pipelined answers are being sent, so the socket of the request is watched.
  const { socket } = response.req;
  const ended = new AbortController();
  // A client that is too slow loses the rest of its answer.
  const deadline = setTimeout(() => socket.destroy(), readingMs);
  let [before, lately] = [Number.NEGATIVE_INFINITY, 0];
  const pace = setInterval(() => {
    const taken = socket.bytesWritten - socket.writableLength;
    if (taken - before < SLOWEST.bytes && findShared("isMemoryWanted")?.()) socket.destroy();
    [before, lately] = [lately, taken];
  }, SLOWEST.ms / 2);
  try {
    if (socket.destroyed) return;
    const sent = isCompressed
      ? pipeline(Readable.from(piecesOf(parts)), createGzip(GZIP), response)
      : writePieces(parts, length, response);
    await Promise.race([sent, once(socket, "close", { signal: ended.signal })]);
  } catch {
    response.destroy();
  } finally {
    clearTimeout(deadline);
    clearInterval(pace);
    ended.abort();
  }
}

/**
 * @param {readonly (string | Buffer)[]} parts
 * @param {number} length of all, in bytes
 * @param {import("node:http").ServerResponse} response
 */
async function writePieces(parts, length, response) {
  // Writes strings rather than buffers, which would double the garbage. For ASCII, "latin1" needs no encoding work.
  const isAscii = length === parts.reduce((sum, part) => sum + part.length, 0);
  for (const piece of piecesOf(parts)) {
    if (response.destroyed) return;
    response.write(piece, isAscii ? "latin1" : "utf8");
    // Lets other requests run. Otherwise a fast reader would get the whole answer first.
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
