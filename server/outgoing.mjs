// A handler's Response as Node sends it.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip, gzip as gzipWithCallback } from "node:zlib";

const gzip = promisify(gzipWithCallback);

/** Less than so many bytes gain nothing from compression. */
const COMPRESSED_FROM = 1024;
/** What is longer goes out slice by slice, each as the client takes it: a second copy of it never exists. In characters. */
const SLICE = 65_536;
/** A client that needs longer for its answer is cut off. */
const READING_MS = 120_000;

/**
 * Sends the answer of a handler: its headers, and its body unless the request was a HEAD.
 * @param {Response & { content?: string }} answer
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {Iterable<readonly [string, string]>} fixed headers that do not depend on the answer
 */
export async function send(answer, request, response, fixed) {
  // A TextResponse shows its text and says its length; everything else is short.
  const body = answer.content ?? Buffer.from(await answer.arrayBuffer());
  const isWithBody = request.method !== "HEAD" && body.length > 0;
  const length = Number(answer.headers.get("content-length") ?? body.length);
  const isCompressed =
    isWithBody && length >= COMPRESSED_FROM && acceptsGzip(String(request.headers["accept-encoding"] ?? ""));
  const headers = ["Vary", "Accept-Encoding"];
  for (const [name, value] of fixed) headers.push(name, value);
  for (const [name, value] of answer.headers) {
    if (name !== "content-length" || !isCompressed) headers.push(name, value);
  }
  if (isCompressed) headers.push("Content-Encoding", "gzip");
  else if (isWithBody && !answer.headers.has("content-length")) headers.push("Content-Length", String(length));
  if (!isWithBody) return void response.writeHead(answer.status, headers).end();
  if (body.length > SLICE) {
    response.writeHead(answer.status, headers);
    return sendSlices(body, isCompressed, response);
  }
  const bytes = isCompressed ? await gzip(body) : body;
  response.writeHead(answer.status, headers).end(bytes);
}

/**
 * @param {string | Buffer} body
 * @param {boolean} isCompressed
 * @param {import("node:http").ServerResponse} response
 */
async function sendSlices(body, isCompressed, response) {
  const slices = Readable.from(slicesOf(body), { objectMode: false, highWaterMark: SLICE });
  const deadline = AbortSignal.timeout(READING_MS);
  const stages = isCompressed ? [slices, createGzip(), response] : [slices, response];
  // Whoever went away, or took too long, has lost the rest; there is nobody left to tell.
  await pipeline(stages, { signal: deadline }).catch(() => response.destroy());
}

/** @param {string | Buffer} body */
function* slicesOf(body) {
  for (let start = 0; start < body.length; ) {
    const end = start + SLICE - (typeof body === "string" && splitsCharacter(body, start + SLICE) ? 1 : 0);
    yield Buffer.from(body.slice(start, end));
    start = end;
  }
}

/**
 * Whether the two halves of one character stand before and after `index`.
 * @param {string} text
 * @param {number} index
 */
function splitsCharacter(text, index) {
  return index < text.length && (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

/** Whether `gzip`, or anything, is among the encodings and not with a weight of 0. */
function acceptsGzip(header = "") {
  return header
    .toLowerCase()
    .split(",")
    .map((part) => part.split(";").map((text) => text.trim()))
    .some(([name, weight = ""]) => (name === "gzip" || name === "*") && !/^q=0(?:\.0*)?$/.test(weight));
}
