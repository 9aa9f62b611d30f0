import { standInFor } from "./stand-in";

class KeptText {
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

  get real(): Response {
    this.#real ??= new Response(this.whenRead ? this.#stream(this.whenRead) : this.content.join(""), {
      status: this.status,
      headers: this.headers,
    });
    return this.#real;
  }

  /** The text part by part, as it is asked for. */
  #stream(whenRead: () => void): ReadableStream<Uint8Array> {
    const parts = this.content.values();
    // No generator: cancelled before its first part is asked for, it would never reach its `finally`.
    return new ReadableStream({
      pull(controller) {
        const { value, done } = parts.next();
        if (!done) return controller.enqueue(Buffer.from(value));
        controller.close();
        whenRead();
      },
      cancel: whenRead,
    });
  }
}

/**
 * A Response that keeps its text. It creates a real Response only when other members are used, because creating one and
 * reading it back takes as long as authenticating the request.
 */
export const TextResponse = standInFor(KeptText, Response);
