// Collects the whole answer that Next writes, before any of it is sent.

const WRITERS = ["setHeader", "appendHeader", "flushHeaders", "writeHead", "write", "end"];

/**
 * @typedef {{ status: number, headers: [string, string][], body: Buffer }} Collected
 */

/**
 * Collects what is written to a response. When the answer is complete, the response is empty again and `whenDone` gets
 * the answer, including headers that were set earlier. It gets null if the client left first.
 * @param {import("node:http").ServerResponse} response
 * @param {(answer: Collected | null) => void} whenDone called once
 */
export function collectAnswer(response, whenDone) {
  const { setHeader, appendHeader } = response;
  /** @type {Buffer[]} */
  const chunks = [];
  let isDone = false;
  const done = (/** @type {Collected | null} */ answer) => {
    if (!isDone) whenDone(answer);
    isDone = true;
  };
  const keep = (/** @type {unknown} */ chunk, /** @type {unknown} */ encoding) => {
    if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    else if (typeof chunk === "string") {
      chunks.push(Buffer.from(chunk, /** @type {BufferEncoding} */ (typeof encoding === "string" ? encoding : "utf8")));
    }
  };
  // Next sets Vary on every answer for its pages. The server sets its own.
  response.setHeader = (name, value) => (/^vary$/i.test(name) ? response : setHeader.call(response, name, value));
  response.appendHeader = (name, value) => (/^vary$/i.test(name) ? response : appendHeader.call(response, name, value));
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
    stopCollecting(response);
    const headers = takeHeaders(response);
    done({ status: response.statusCode, headers, body: Buffer.concat(chunks) });
    return response;
  };
  response.once("close", () => done(null));
}

/**
 * From now on, what is written to the response is sent. What was collected is forgotten, except for the headers.
 * @param {import("node:http").ServerResponse} response
 */
export function stopCollecting(response) {
  for (const name of WRITERS) Reflect.deleteProperty(response, name);
}

/**
 * @param {import("node:http").ServerResponse} response
 * @returns {[string, string][]} a header with several values several times
 */
function takeHeaders(response) {
  /** @type {[string, string][]} */
  const headers = [];
  for (const [name, value] of Object.entries(response.getHeaders())) {
    response.removeHeader(name);
    if (name === "transfer-encoding") continue;
    for (const one of Array.isArray(value) ? value : [value]) headers.push([name, String(one)]);
  }
  return headers;
}
