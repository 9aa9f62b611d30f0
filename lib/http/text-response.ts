import { piecesOf } from "./pieces.mjs";

/**
 * A Response that keeps its text. It creates a real Response only when other members are used, because creating one and
 * reading it back takes as long as authenticating the request.
 */
export class TextResponse implements Response {
  readonly redirected = false;
  readonly statusText = "";
  readonly type = "default";
  readonly url = "";
  /** In parts, to be sent one after the other. */
  readonly content: readonly string[];
  // Declared as own fields, because Response has getters that cannot be assigned.
  readonly status: number;
  readonly headers: Headers;

  /** Called once the client has read the text or has left. */
  readonly whenRead: (() => void) | undefined;
  #real: Response | undefined;

  constructor(content: readonly string[], status: number, headers: Headers, whenRead?: () => void) {
    this.content = content;
    this.status = status;
    this.headers = headers;
    this.whenRead = whenRead;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }
  get body() {
    return this.#response().body;
  }
  get bodyUsed(): boolean {
    return this.#real?.bodyUsed ?? false;
  }
  text(): Promise<string> {
    return this.#response().text();
  }
  json() {
    return this.#response().json();
  }
  arrayBuffer() {
    return this.#response().arrayBuffer();
  }
  blob() {
    return this.#response().blob();
  }
  bytes() {
    return this.#response().bytes();
  }
  formData() {
    return this.#response().formData();
  }
  clone(): Response {
    return this.#response().clone();
  }

  #response(): Response {
    this.#real ??= new Response(this.whenRead ? this.#stream(this.whenRead) : this.content.join(""), {
      status: this.status,
      headers: this.headers,
    });
    return this.#real;
  }

  /** The text piece by piece, as it is asked for. */
  #stream(whenRead: () => void): ReadableStream<Uint8Array> {
    const pieces = piecesOf(this.content);
    return new ReadableStream({
      pull(controller) {
        const { value } = pieces.next();
        if (value) return controller.enqueue(Buffer.from(value as string));
        controller.close();
        whenRead();
      },
      cancel: whenRead,
    });
  }
}
// Next asks whether a handler returned a Response.
Object.setPrototypeOf(TextResponse.prototype, Response.prototype);
