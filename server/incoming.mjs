// Node's request as the standard Request that route handlers take.
import { Readable } from "node:stream";

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
  "host",
  "if-modified-since",
  "if-none-match",
  "origin",
  "transfer-encoding",
  "user-agent",
  "x-forwarded-for",
]);

/** Takes every header away that no handler may know of, in place. */
export function keepCarriedHeaders(headers) {
  for (const name of Object.keys(headers)) if (!CARRIED_HEADERS.has(name)) delete headers[name];
}

/**
 * A Request whose costly parts (its body, its signal) are made when a handler asks for them, which most never do.
 * @param {import("node:http").IncomingMessage} incoming its headers are those that a handler may know of
 * @param {string} url absolute
 */
export class IncomingRequest {
  // Declared, because the prototype's own cannot be assigned.
  method;
  url;
  headers;
  #incoming;
  #real;

  constructor(incoming, url) {
    this.#incoming = incoming;
    this.method = incoming.method;
    this.url = url;
    this.headers = new Headers(incoming.headers);
  }

  get real() {
    const hasBody = this.method !== "GET" && this.method !== "HEAD";
    this.#real ??= new Request(this.url, {
      method: this.method,
      headers: this.headers,
      ...(hasBody && { body: Readable.toWeb(this.#incoming), duplex: "half" }),
    });
    return this.#real;
  }
}

for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(Request.prototype))) {
  if (["constructor", "method", "url", "headers"].includes(name)) continue;
  Object.defineProperty(
    IncomingRequest.prototype,
    name,
    get
      ? {
          get() {
            return this.real[name];
          },
        }
      : {
          value:
            typeof value === "function"
              ? function (...args) {
                  return this.real[name](...args);
                }
              : value,
        },
  );
}
Object.setPrototypeOf(IncomingRequest.prototype, Request.prototype);
