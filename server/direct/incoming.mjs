// Node's request as the standard Request that route handlers take. With a server of Node's own that speaks in these
// (nodejs/node#63096) it could go.
import { ReadableStream } from "node:stream/web";

/** What a handler may know of a request: the contract and HTTP need these, and nothing else can change an answer. */
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
  "origin",
  "prefer",
  "transfer-encoding",
  "user-agent",
  "x-forwarded-for",
]);

/**
 * Takes every header away that no handler may know of, in place.
 * @param {import("node:http").IncomingHttpHeaders} headers
 */
export function keepCarriedHeaders(headers) {
  for (const name of Object.keys(headers)) if (!CARRIED_HEADERS.has(name)) delete headers[name];
}

/**
 * Sends "100 Continue" to a client that asked for it. A client that gets an answer instead need not send the body.
 * @param {import("node:http").IncomingMessage} incoming
 * @param {import("node:http").ServerResponse} outgoing
 */
export function continueIfExpected(incoming, outgoing) {
  if (/^100-continue$/i.test(incoming.headers.expect ?? "")) outgoing.writeContinue();
}

/**
 * The pieces of a body. The reader may stop early: the rest can still be discarded, and the connection stays open.
 * @param {import("node:http").IncomingMessage} incoming
 * @returns {AsyncIterable<Buffer>}
 */
export function piecesOfBody(incoming) {
  return { [Symbol.asyncIterator]: () => incoming.iterator({ destroyOnReturn: false }) };
}

/** A Request whose costly parts (its body, its signal) are made when a handler asks for them, which most never do. */
export class IncomingRequest {
  // Declared, because the prototype's own cannot be assigned.
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
  Object.defineProperty(
    IncomingRequest.prototype,
    name,
    get
      ? {
          /** @this {IncomingRequest} */
          get() {
            return Reflect.get(this.real, name);
          },
        }
      : {
          value:
            typeof value === "function"
              ? /**
                 * @this {IncomingRequest}
                 * @param {unknown[]} args
                 */
                function (...args) {
                  return Reflect.apply(value, this.real, args);
                }
              : value,
        },
  );
}
Object.setPrototypeOf(IncomingRequest.prototype, Request.prototype);
