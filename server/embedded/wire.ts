/** A letter and a length. */
export const HEADER = 5;
const LENGTH_BYTES = 4;
const READY = "Z".charCodeAt(0);

/** A client broke the protocol or one of our limits. It gets the message and is disconnected. `code`: an SQLSTATE. */
export class ProtocolError extends Error {
  override name = "ProtocolError";
  constructor(
    message: string,
    readonly code = "08P01",
  ) {
    super(message);
  }
}

/** Cuts the bytes of one connection into packets, in time proportional to their number however they are split up. */
export class PacketReader {
  #chunks: Buffer[] = [];
  #size = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /**
   * The next packet, or null while it has not arrived in full. Its length counts itself and stands behind so many letters:
   * 0 in the first packets of a connection, 1 in all later ones, which are messages. @throws ProtocolError
   */
  next(letters: 0 | 1, most: number): Buffer | null {
    const head = letters + LENGTH_BYTES;
    if (this.#size < head) return null;
    const length = this.#joined(head).readInt32BE(letters);
    if (length < LENGTH_BYTES || length > most) {
      throw new ProtocolError(`a message of ${length} bytes; the embedded database takes up to ${most}`);
    }
    if (this.#size < letters + length) return null;
    const all = this.#joined(letters + length);
    this.#chunks[0] = all.subarray(letters + length);
    this.#size -= letters + length;
    return all.subarray(0, letters + length);
  }

  /** The first chunk, with so many bytes at least. */
  #joined(length: number): Buffer {
    const [first] = this.#chunks;
    if (first && first.length >= length) return first;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }
}

export function message(type: string, ...body: (string | Buffer)[]): Buffer {
  const content = Buffer.concat(body.map((part) => Buffer.from(part as Buffer)));
  const head = Buffer.alloc(HEADER);
  head.write(type, 0, "latin1");
  head.writeInt32BE(LENGTH_BYTES + content.length, 1);
  return Buffer.concat([head, content]);
}

/** A text with the zero byte that ends it. */
export const cString = (text: string) => `${text}\0`;

/** The error sent to a client before it is disconnected. */
export function fatalError(code: string, text: string): Buffer {
  return message("E", ...["SFATAL", "VFATAL", `C${code}`, `M${text}`].map(cString), "\0");
}

/** How an answer ends: ready and idle (I), in a transaction (T), in a failed one (E); null when it does not end. */
export function readyState(answer: Uint8Array): string | null {
  const [type, , , , length, state] = answer.subarray(-6);
  return type === READY && length === 5 ? String.fromCharCode(state ?? 0) : null;
}
