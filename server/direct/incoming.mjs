// Wraps Node's request as the standard Request that route handlers take. Node may get a server with standard requests
// (nodejs/node#63096); this file can go then.
import { ReadableStream } from "node:stream/web";
import { freeBytes } from "./free-bytes.mjs";

/**
 * The request headers that handlers see. The contract, HTTP and /mcp need only these, so no other header changes an answer.
 */
const CARRIED_HEADERS = new Set([
  "accept",
  "accept-encoding",
  "access-control-request-headers",
  "access-control-request-method",
  "authorization",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "if-modified-since",
  "if-none-match",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "origin",
  "prefer",
  "transfer-encoding",
  "user-agent",
  "x-forwarded-for",
]);

/**
 * Deletes all other headers, in place.
 * @param {import("node:http").IncomingHttpHeaders} headers
 */
export function keepCarriedHeaders(headers) {
  for (const name of Object.keys(headers)) if (!CARRIED_HEADERS.has(name)) delete headers[name];
}

/**
 * Sends "100 Continue" if the client asked for it, and nothing once it has the final answer: it can skip the body then.
 * @param {import("node:http").IncomingMessage} incoming
 * @param {import("node:http").ServerResponse} outgoing
 */
export function continueIfExpected(incoming, outgoing) {
  if (!outgoing.headersSent && /^100-continue$/i.test(incoming.headers.expect ?? "")) outgoing.writeContinue();
}

/**
 * Iterates over the chunks of a body. Each is freed when the next one is asked for, so the reader must have copied it.
 * Stopping early keeps the connection open, so that the rest can be discarded.
 * @param {import("node:http").IncomingMessage} incoming
 * @returns {AsyncGenerator<Buffer, void>}
 */
export async function* piecesOfBody(incoming) {
  for await (const piece of incoming.iterator({ destroyOnReturn: false })) {
    try {
      yield piece;
    } finally {
      freeBytes(piece);
    }
  }
}

/** A Request that creates its body and its signal on first use. Most handlers use neither, and both are expensive. */
export class IncomingRequest {
  // Own fields, because the getters of Request.prototype cannot be assigned.
  method;
  url;
  headers;
  #incoming;
  #outgoing;
  /** @type {Request | undefined} */
  #real;
  /** @type {AbortSignal | undefined} */
  #signal;

  /**
   * @param {import("node:http").IncomingMessage} incoming its headers are those that a handler may know of
   * @param {import("node:http").ServerResponse} outgoing
   * @param {string} url absolute
   */
  constructor(incoming, outgoing, url) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.method = incoming.method ?? "GET";
    this.url = url;
    this.headers = new Headers(/** @type {Record<string, string>} */ (incoming.headers));
  }

  /** This object as the Request that handlers expect. The prototype below has the methods that are missing here. */
  asRequest() {
    return /** @type {Request} */ (/** @type {unknown} */ (this));
  }

  /** Aborted when the client goes away before it has its answer. */
  get signal() {
    if (this.#signal) return this.#signal;
    const { socket } = this.#incoming;
    const controller = new AbortController();
    const abort = () => controller.abort();
    socket.once("close", abort);
    this.#outgoing.once("finish", () => socket.off("close", abort));
    if (socket.destroyed) abort();
    this.#signal = controller.signal;
    return this.#signal;
  }

  get real() {
    if (this.#real) return this.#real;
    /** @type {RequestInit & { duplex?: "half" }} */
    const init = { method: this.method, headers: this.headers };
    if (this.method !== "GET" && this.method !== "HEAD") {
      continueIfExpected(this.#incoming, this.#outgoing);
      Object.assign(init, { body: ReadableStream.from(piecesOfBody(this.#incoming)), duplex: "half" });
    }
    this.#real = new Request(this.url, init);
    return this.#real;
  }
}

for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(Request.prototype))) {
  if (["constructor", "method", "url", "headers", "signal"].includes(name)) continue;
  /** @this {IncomingRequest} */
  function read() {
    return Reflect.get(this.real, name);
  }
  /** @this {IncomingRequest} @param {unknown[]} args */
  function call(...args) {
    return Reflect.apply(value, this.real, args);
  }
  Object.defineProperty(IncomingRequest.prototype, name, get ? { get: read } : { value: call });
}
Object.setPrototypeOf(IncomingRequest.prototype, Request.prototype);
