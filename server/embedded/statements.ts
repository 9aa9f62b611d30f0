import { cString, HEADER, type Message, message, readCString } from "./wire";

const DEALLOCATE = /^\s*deallocate\s+(?:prepare\s+)?("(?:[^"]|"")+"|[a-z_]\w*)\s*;?\s*\0$/i;
/** A longer one names no statement of PostgreSQL. */
const MAX_DEALLOCATE = 200;

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
    return type === "Q" ? this.#query(bytes) : bytes;
  }

  /** What makes PostgreSQL's statement without a name this client's. */
  restoreUnnamed(): Buffer {
    return this.#statements.get("")?.parse ?? message("C", "S", cString(""));
  }

  /** After something has removed all statements of the session: this client's are gone for good. */
  clear(): void {
    this.#statements.clear();
  }

  /** What prepares all of them again, each for itself. */
  restoreAll(): Buffer {
    return Buffer.concat([...this.#statements.values()].flatMap(({ parse }) => [parse, message("S")]));
  }

  /** What removes all of them from PostgreSQL. Empty when there is nothing to remove. */
  closeAll(): Buffer {
    return Buffer.concat([...this.#statements.values()].map(({ name }) => message("C", "S", cString(name))));
  }

  /** Some drivers remove with SQL what they have prepared by a message. */
  #query(bytes: Buffer): Buffer {
    this.#statements.delete("");
    const name = DEALLOCATE.exec(bytes.toString("utf8", HEADER, HEADER + MAX_DEALLOCATE))?.[1];
    if (!name) return bytes;
    const own = name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();
    const statement = this.#statements.get(own);
    if (!statement) return bytes;
    this.#statements.delete(own);
    return message("Q", cString(`deallocate "${statement.name}"`));
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

/** The SQL in a message, or null. */
export function queryText({ type, bytes }: Message): string | null {
  if (type === "Q") return bytes.toString("latin1", HEADER);
  return type === "P" ? bytes.toString("latin1", readCString(bytes, HEADER).next) : null;
}
