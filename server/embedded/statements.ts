import { cString, HEADER, type Message, message, readCString } from "./wire";

/**
 * The prepared statements of one client. All clients share PostgreSQL's one session, and with it one set of names: so
 * each name is replaced by one that no other client can have. The name "" stands for itself, because a simple query
 * drops what bears it; what it means to this client is remembered.
 */
export class ClientStatements {
  /** By the client's own name: the name in PostgreSQL and the message that prepares it there. */
  readonly #statements = new Map<string, { name: string; parse: Buffer }>();
  readonly #prefix: string;
  #count = 0;

  /** @param id unlike that of any other client of the same database */
  constructor(id: number) {
    this.#prefix = `client${id}.`;
  }

  get isEmpty(): boolean {
    return this.#statements.size === 0;
  }

  /** The message as PostgreSQL shall see it. @throws ProtocolError */
  rename({ type, bytes }: Message): Buffer {
    if (type === "P") return this.#prepare(bytes);
    if (type === "B") {
      const portal = readCString(bytes, HEADER);
      const { text, next } = readCString(bytes, portal.next);
      return message("B", bytes.subarray(HEADER, portal.next), cString(this.#nameOf(text)), bytes.subarray(next));
    }
    if ((type === "D" || type === "C") && bytes.toString("latin1", HEADER, HEADER + 1) === "S") {
      const { text } = readCString(bytes, HEADER + 1);
      const renamed = message(type, "S", cString(this.#nameOf(text)));
      if (type === "C") this.#statements.delete(text);
      return renamed;
    }
    if (type === "Q") this.#statements.delete("");
    return bytes;
  }

  /** What makes PostgreSQL's statement without a name this client's. */
  restoreUnnamed(): Buffer {
    return this.#statements.get("")?.parse ?? message("C", "S", cString(""));
  }

  /** What removes all of them from PostgreSQL. Empty when there is nothing to remove. */
  closeAll(): Buffer {
    return Buffer.concat([...this.#statements.values()].map(({ name }) => message("C", "S", cString(name))));
  }

  #prepare(bytes: Buffer): Buffer {
    const { text, next } = readCString(bytes, HEADER);
    const name = text === "" ? "" : (this.#statements.get(text)?.name ?? `${this.#prefix}${this.#count++}`);
    const parse = message("P", cString(name), bytes.subarray(next));
    this.#statements.set(text, { name, parse });
    return parse;
  }

  /** A name that was never prepared must stay unknown: as the client wrote it, it could be another client's. */
  #nameOf(text: string): string {
    return text === "" ? "" : (this.#statements.get(text)?.name ?? `${this.#prefix}${text}?`);
  }
}

/** What the message does to the statement without a name: prepares or drops it, relies on it, or nothing. */
export function useOfUnnamed({ type, bytes }: Message): "replaces" | "needs" | null {
  if (type === "Q") return "replaces";
  if (type === "P") return bytes[HEADER] === 0 ? "replaces" : null;
  if (type === "B") return bytes[readCString(bytes, HEADER).next] === 0 ? "needs" : null;
  if (type === "D") return bytes.toString("latin1", HEADER, HEADER + 2) === "S\0" ? "needs" : null;
  return null;
}
