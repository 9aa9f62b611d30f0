// A handler's Response as Node sends it.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip, gzip as gzipWithCallback } from "node:zlib";
import { PIECE, piecesOf } from "../lib/http/pieces.mjs";

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
  const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  const isWithBody = method !== "HEAD" && length > 0;
  const isCompressed = isWithBody && length >= COMPRESSED_FROM && acceptsGzip(accepted);
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
  else await sendPieces(parts, isCompressed, response, readingMs);
}

/**
 * @param {readonly (string | Buffer)[]} parts
 * @param {boolean} isCompressed
 * @param {import("node:http").ServerResponse} response
 * @param {number} readingMs
 */
async function sendPieces(parts, isCompressed, response, readingMs) {
  // A text goes to the socket as it is: buffers made of it would be as much garbage again.
  const pieces = Readable.from(piecesOf(parts), { highWaterMark: 1 });
  const deadline = AbortSignal.timeout(readingMs);
  const stages = isCompressed ? [pieces, createGzip(), response] : [pieces, response];
  // Whoever went away, or took too long, has lost the rest; there is nobody left to tell.
  await pipeline(stages, { signal: deadline }).catch(() => response.destroy());
}

/** Whether `gzip`, or anything, is among the encodings and not with a weight of 0. */
function acceptsGzip(header = "") {
  return header
    .toLowerCase()
    .split(",")
    .map((part) => part.split(";").map((text) => text.trim()))
    .some(([name, weight = ""]) => (name === "gzip" || name === "*") && !/^q=0(?:\.0*)?$/.test(weight));
}
