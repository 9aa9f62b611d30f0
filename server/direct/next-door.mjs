// The way to route handlers where the direct door is closed: through Next's router, whose answers are made equal.
import { continueIfExpected } from "./incoming.mjs";
import { sendBody } from "./outgoing.mjs";
import { canonicalPath } from "./routes.mjs";

/**
 * A request and a response for Next's router.
 * @param {string} path of the request, its slashes collapsed
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @returns {[import("node:http").IncomingMessage, import("node:http").ServerResponse]}
 */
export function throughNext(path, request, response) {
  const { url = "", method = "GET" } = request;
  const query = url.indexOf("?");
  const accepted = String(request.headers["accept-encoding"] ?? "");
  request.url = canonicalPath(path) + (query < 0 ? "" : url.slice(query));
  // Next would compress what is short as well, and could not say how long it is.
  delete request.headers["accept-encoding"];
  continueWhenRead(request, response);
  const { setHeader } = response;
  /** @type {Buffer[]} */
  const chunks = [];
  const keep = (/** @type {unknown} */ chunk, /** @type {unknown} */ encoding) => {
    if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    else if (typeof chunk === "string") {
      chunks.push(Buffer.from(chunk, /** @type {BufferEncoding} */ (typeof encoding === "string" ? encoding : "utf8")));
    }
  };
  // It tells caches about the headers of its pages, whatever it answers.
  response.setHeader = (name, value) => (/^vary$/i.test(name) ? response : setHeader.call(response, name, value));
  response.appendHeader = response.setHeader;
  response.flushHeaders = () => {};
  response.writeHead = (/** @type {number} */ status) => {
    response.statusCode = status;
    return response;
  };
  response.write = (/** @type {unknown} */ chunk, /** @type {unknown} */ encoding) => {
    keep(chunk, encoding);
    return true;
  };
  response.end = (/** @type {unknown} */ chunk = undefined, /** @type {unknown} */ encoding = undefined) => {
    keep(chunk, encoding);
    for (const name of ["setHeader", "appendHeader", "flushHeaders", "writeHead", "write", "end"])
      Reflect.deleteProperty(response, name);
    /** @type {[string, string][]} */
    const headers = [];
    for (const [name, value] of Object.entries(response.getHeaders())) {
      if (name !== "transfer-encoding") headers.push([name, String(value)]);
    }
    for (const [name] of headers) response.removeHeader(name);
    const asked = { method, accepted };
    sendBody([Buffer.concat(chunks)], response.statusCode, headers, asked, response).catch(() => response.destroy());
    return response;
  };
  return [request, response];
}

/**
 * Whoever waits for a word before sending a body gets it when a handler reads the body; most answer without.
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
function continueWhenRead(request, response) {
  const read = request._read;
  request._read = (size) => {
    request._read = read;
    continueIfExpected(request, response);
    request._read(size);
  };
}
