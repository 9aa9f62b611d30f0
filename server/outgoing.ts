// Sends whole answers: compressed for those who accept it, and not for longer than a client may take to read them.
import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip as gzipWithCallback } from "node:zlib";
import { acceptsGzip } from "@/lib/http/accepts-gzip";
import { TextResponse } from "@/lib/http/text-response";

const gzip = promisify(gzipWithCallback);

/** In bytes. Compressing shorter bodies saves nothing. */
const COMPRESSED_FROM = 1024;
/** In bytes. Shorter answers are out of our hands at once. */
const LONG = 65_536;
/** A client that takes longer to read a long one is disconnected, in milliseconds. */
const READING_MS = 120_000;

type Pairs = Iterable<readonly [string, OutgoingHttpHeader]>;

/** Sends the answer of a handler. `fixed`: headers that do not depend on the answer. */
export async function send(answer: Response, request: IncomingMessage, response: ServerResponse, fixed: Pairs) {
  const isText = answer instanceof TextResponse;
  try {
    const body = isText ? answer.content.join("") : Buffer.from(await answer.arrayBuffer());
    await sendBody(body, answer.status, [...fixed, ...answer.headers], request, response);
  } finally {
    if (isText) answer.whenRead?.();
  }
}

/** Sends headers and a body, and resolves when the client has them or has left. HEAD and 304 get no body. */
export async function sendBody(
  body: string | Buffer,
  status: number,
  pairs: Pairs,
  { method, headers: asked }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const length = Buffer.byteLength(body);
  const isWithBody = method !== "HEAD" && length > 0;
  const headers: OutgoingHttpHeader[] = ["Vary", "Accept-Encoding"];
  let isEncoded = false;
  for (const [name, value] of pairs) {
    if (name === "content-encoding") isEncoded = true;
    if (name !== "content-length") headers.push(name, value);
  }
  const accepted = String(asked["accept-encoding"] ?? "");
  const isCompressed = isWithBody && !isEncoded && length >= COMPRESSED_FROM && acceptsGzip(accepted);
  const bytes = isCompressed ? await gzip(body) : body;
  // Gone, or refused meanwhile because the rest of the request could not be read.
  if (response.destroyed || response.headersSent) return;
  if (isCompressed) headers.push("Content-Encoding", "gzip");
  if (isWithBody) headers.push("Content-Length", String(isCompressed ? bytes.length : length));
  response.writeHead(status, headers);
  response.end(isWithBody ? bytes : undefined);
  if (!isWithBody || length <= LONG || response.writableFinished) return;
  const deadline = setTimeout(() => response.req.socket.destroy(), READING_MS);
  await new Promise<void>((resolve) => response.once("close", resolve));
  clearTimeout(deadline);
}
