import { cString, HEADER, type Message, message, readCString } from "./wire";

const DEALLOCATE = /^\s*deallocate\s+(?:prepare\s+)?("(?:[^"]|"")+"|[a-z_]\w*)\s*;?\s*\0$/i;
/** PostgreSQL's names are short, so a longer DEALLOCATE cannot name a statement. */
const MAX_DEALLOCATE = 200;

/**
 * The prepared statements of one client. All clients share one PostgreSQL session, so names are prefixed per client to
 * avoid collisions. The unnamed statement keeps the name "", because a simple query drops it. Its text is remembered.
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

  /** Replaces the statement name in a message. @throws ProtocolError */
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

  /** The message that makes this client's unnamed statement the current one. */
  restoreUnnamed(): Buffer {
    return this.#statements.get("")?.parse ?? message("C", "S", cString(""));
  }

  /** Forgets all statements, after this client dropped all statements of the session. */
  clear(): void {
    this.#statements.clear();
  }

  /**
   * The messages that prepare all statements again. Each is synced alone, so one failure does not affect the others.
   */
  restoreAll(): Buffer {
    return Buffer.concat([...this.#statements.values()].flatMap(({ parse }) => [parse, message("S")]));
  }

  /** The messages that close all statements. Empty when there are none. */
  closeAll(): Buffer {
    return Buffer.concat([...this.#statements.values()].map(({ name }) => message("C", "S", cString(name))));
  }

  /** Renames the statement in a DEALLOCATE: some drivers use SQL to close what they prepared by message. */
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

  /** An unknown name gets this client's prefix, so that it cannot match a statement of another client. */
  #nameOf(text: string): string {
    return text === "" ? "" : (this.#statements.get(text)?.name ?? `${this.#prefix}${text}?`);
  }
}

/** Whether a message replaces (or drops) the unnamed statement, needs it, or does neither (null). */
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
