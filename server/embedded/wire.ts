/** One message of PostgreSQL's protocol, version 3: a letter, a length that counts itself, and a body. */
export type Message = { type: string; bytes: Buffer };

/** A letter and a length. */
export const HEADER = 5;
/** ReadyForQuery, which ends an answer. */
export const READY_LENGTH = 6;
const LENGTH_BYTES = 4;
const COMMAND_COMPLETE = "C".charCodeAt(0);
/** PostgreSQL's own limit for the first packet of a connection. */
const MAX_STARTUP = 10_000;

/** A client broke the protocol or one of our limits. It gets the message and is disconnected. */
export class ProtocolError extends Error {
  override name = "ProtocolError";
}

/** Cuts the bytes of one connection into messages, in time proportional to their number however they are split up. */
export class MessageReader {
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(private readonly maxMessage: number) {}

  /** Bytes that have been received and not yet been taken. */
  get size(): number {
    return this.#size;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** The next message, or null while it has not arrived in full. @throws ProtocolError */
  next(): Message | null {
    const head = this.#peek(HEADER);
    if (!head) return null;
    const length = head.readInt32BE(1);
    if (length < LENGTH_BYTES || length > this.maxMessage) {
      throw new ProtocolError(`a message of ${length} bytes; the embedded database takes up to ${this.maxMessage}`);
    }
    const bytes = this.#take(1 + length);
    return bytes && { type: String.fromCharCode(bytes[0] ?? 0), bytes };
  }

  /** The next packet without a letter, as a connection begins with, or null. @throws ProtocolError */
  nextStartup(): { code: number; body: Buffer } | null {
    const head = this.#peek(2 * LENGTH_BYTES);
    if (!head) return null;
    const length = head.readInt32BE(0);
    if (length < 2 * LENGTH_BYTES || length > MAX_STARTUP) {
      throw new ProtocolError("invalid length of startup packet");
    }
    const packet = this.#take(length);
    return packet && { code: packet.readInt32BE(LENGTH_BYTES), body: packet.subarray(2 * LENGTH_BYTES) };
  }

  #peek(length: number): Buffer | null {
    if (this.#size < length) return null;
    const [first] = this.#chunks;
    if (first && first.length >= length) return first;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  #take(length: number): Buffer | null {
    const all = this.#peek(length);
    if (!all) return null;
    this.#size -= length;
    if (all.length === length) this.#chunks.shift();
    else this.#chunks[0] = all.subarray(length);
    return all.subarray(0, length);
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
export function cString(text: string): string {
  return `${text}\0`;
}

/** The text from `start` on, and where the next field begins. @throws ProtocolError when it never ends. */
export function readCString(bytes: Buffer, start: number): { text: string; next: number } {
  const end = bytes.indexOf(0, start);
  if (end < 0) throw new ProtocolError("invalid string in message");
  return { text: bytes.toString("utf8", start, end), next: end + 1 };
}

/** The error sent to a client before it is disconnected. `code` is an SQLSTATE. */
export function fatalError(code: string, text: string): Buffer {
  return message("E", ...["SFATAL", "VFATAL", `C${code}`, `M${text}`].map(cString), "\0");
}

/** Whether the answer ends with ReadyForQuery, and in which state: idle, in a transaction, or in a failed one. */
export function readyState(answer: Uint8Array): "I" | "T" | "E" | null {
  const [type, , , , length, state] = answer.subarray(-READY_LENGTH);
  if (type !== "Z".charCodeAt(0) || length !== 5) return null;
  const letter = String.fromCharCode(state ?? 0);
  return letter === "I" || letter === "T" || letter === "E" ? letter : null;
}

/** The messages of an answer, which are always whole. */
function* messagesOf(answer: Uint8Array): Generator<{ type: string; body: Buffer }> {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  for (let start = 0; start + HEADER <= bytes.length; ) {
    const end = start + 1 + bytes.readInt32BE(start + 1);
    yield { type: String.fromCharCode(bytes[start] ?? 0), body: bytes.subarray(start + HEADER, end) };
    start = end;
  }
}

/** The command tags in an answer: "SET", "SELECT 1", "DISCARD ALL" … */
export function readTags(answer: Uint8Array): string[] {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  const tags: string[] = [];
  // By hand, because an answer may have a hundred thousand rows.
  for (let start = 0; start + HEADER <= bytes.length; ) {
    const end = start + 1 + bytes.readInt32BE(start + 1);
    if (bytes[start] === COMMAND_COMPLETE) tags.push(bytes.toString("latin1", start + HEADER, end - 1));
    start = end;
  }
  return tags;
}

/** The rows of an answer in text format; null is the empty text. */
export function textRows(answer: Uint8Array): string[][] {
  return [...messagesOf(answer)]
    .filter(({ type }) => type === "D")
    .map(({ body }) => {
      const row: string[] = [];
      let at = 2;
      for (let column = body.readInt16BE(0); column > 0; column--) {
        const length = Math.max(0, body.readInt32BE(at));
        row.push(body.toString("utf8", at + 4, at + 4 + length));
        at += 4 + length;
      }
      return row;
    });
}

/** The text of the first error in an answer, or null. */
export function errorText(answer: Uint8Array): string | null {
  for (const { type, body } of messagesOf(answer)) {
    if (type === "E")
      return (
        body
          .toString("utf8")
          .split("\0")
          .find((field) => field.startsWith("M"))
          ?.slice(1) ?? ""
      );
  }
  return null;
}

/** The ParameterStatus messages in an answer. */
export function parameterStatuses(answer: Uint8Array): Buffer {
  return Buffer.concat(
    [...messagesOf(answer)].filter(({ type }) => type === "S").map(({ body }) => message("S", body)),
  );
}
