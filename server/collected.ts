// Collects the whole answer that Next writes, before any of it is sent: a client that reads slowly then holds up no
// rendering, and a page that failed can be answered in our words.
import { type IncomingMessage, type OutgoingHttpHeader, ServerResponse } from "node:http";

export type Collected = { status: number; headers: [string, OutgoingHttpHeader][]; body: Buffer };

/**
 * Resolves with what `write` writes to the response that it is given. Null: the client of `response` left first.
 * @throws what `write` throws, and when it gives the answer up
 */
export function collectAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  write: (response: ServerResponse) => Promise<void>,
): Promise<Collected | null> {
  const collecting = new CollectingResponse(request);
  return new Promise((resolve, reject) => {
    collecting.once("finish", () => resolve(collecting.takeAll()));
    collecting.on("error", reject);
    response.once("close", () => {
      resolve(null);
      collecting.emit("close");
    });
    write(collecting).catch(reject);
  });
}

/** A response without a connection. It is over as soon as it has been written. */
class CollectingResponse extends ServerResponse {
  readonly #chunks: Buffer[] = [];

  override writeHead(status: number): this {
    this.statusCode = status;
    return this;
  }

  override flushHeaders(): void {}

  /** Next writes text in UTF-8, and bytes. */
  override write(chunk: unknown): boolean {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) this.#chunks.push(Buffer.from(chunk as string));
    return true;
  }

  override end(chunk?: unknown): this {
    this.write(chunk);
    this.finished = true;
    this.emit("finish");
    this.emit("close");
    return this;
  }

  override destroy(error = new Error("Next gave the answer up.")): this {
    this.emit("error", error);
    return super.destroy(error);
  }

  takeAll(): Collected {
    // Next sets Vary on every answer for its pages. The server sets its own.
    const headers = Object.entries(this.getHeaders()).filter(([name]) => !/^(?:transfer-encoding|vary)$/.test(name));
    return { status: this.statusCode, headers: headers as Collected["headers"], body: Buffer.concat(this.#chunks) };
  }
}
