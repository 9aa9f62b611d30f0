// Node's request as the standard Request that route handlers take.
import type { IncomingMessage, ServerResponse } from "node:http";
import { ReadableStream } from "node:stream/web";
import { standInFor } from "@/lib/http/stand-in";

/** As Node looks for it. */
const EXPECTED = /(?:^|\W)100-continue(?:$|\W)/i;

/** Sends "100 Continue" if the client asked for it, unless it has the final answer: it can skip the body then. */
export function continueIfExpected({ headers, httpVersion }: IncomingMessage, response: ServerResponse): void {
  const isExpected = httpVersion !== "1.0" && EXPECTED.test(headers.expect ?? "");
  if (isExpected && !response.headersSent) response.writeContinue();
}

/** The bytes of a body. A reader that stops early leaves the connection open, for the answer. */
export function bodyOf(request: IncomingMessage): ReadableStream<Uint8Array> {
  return ReadableStream.from(request.iterator({ destroyOnReturn: false }));
}

class Incoming {
  // Own fields, because the getters of Request.prototype cannot be assigned.
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  #real: Request | undefined;
  #signal: AbortSignal | undefined;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.method = incoming.method ?? "GET";
    this.url = `http://localhost${incoming.url}`;
    this.headers = new Headers(incoming.headers as Record<string, string>);
  }

  /** Aborted when the client leaves before it has its answer. */
  get signal(): AbortSignal {
    if (this.#signal) return this.#signal;
    const controller = new AbortController();
    this.#outgoing.once("close", () => this.#outgoing.writableFinished || controller.abort());
    if (this.#outgoing.destroyed) controller.abort();
    this.#signal = controller.signal;
    return this.#signal;
  }

  get real(): Request {
    if (this.#real) return this.#real;
    const init: RequestInit & { duplex?: "half" } = { method: this.method, headers: this.headers };
    if (this.method !== "GET" && this.method !== "HEAD") {
      continueIfExpected(this.#incoming, this.#outgoing);
      Object.assign(init, { body: bodyOf(this.#incoming), duplex: "half" });
    }
    this.#real = new Request(this.url, init);
    return this.#real;
  }
}

/** A Request that makes its body and its signal when they are asked for. Most handlers use neither, and both are dear. */
export const IncomingRequest = standInFor(Incoming, Request);
