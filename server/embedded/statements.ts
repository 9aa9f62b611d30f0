import { cString, HEADER, message, readCString } from "./wire";

/** PostgreSQL's names are short, so the beginning of a query is enough. */
const DEALLOCATE = /^\s*deallocate\s+(?:prepare\s+)?("(?:[^"]|"")+"|[a-z_]\w*)\s*;?\s*\0$/i;
const MAX_DEALLOCATE = 200;
/** Would drop the statements of all clients. */
const DROPPING_ALL = /^\s*(?:discard|deallocate(?:\s+prepare)?)\s+all\s*;?\s*\0$/i;
/** As many replaced statements are closed together. */
const MAX_REPLACED = 50;

/**
 * The prepared statements of one client. All clients share one PostgreSQL session, so each statement gets a name there that
 * no other has: also the one without a name, and each time that it is replaced.
 */
export class ClientStatements {
  /** By the client's own name: the name in PostgreSQL and the message that prepares it there. */
  readonly #statements = new Map<string, { name: string; parse: Buffer }>();
  readonly #prefix: string;
  #replaced: string[] = [];
  #count = 0;

  /** @param id unlike that of any other client of the same database */
  constructor(id: number) {
    this.#prefix = `client${id}.`;
  }

  get isEmpty(): boolean {
    return this.#statements.size === 0 && this.#replaced.length === 0;
  }

  /** Replaces the statement name in a message. @throws ProtocolError */
  rename(type: string, bytes: Buffer): Buffer {
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
    return type === "Q" ? this.#renameInQuery(bytes) : bytes;
  }

  /** The messages that close what was replaced, once that is much; null before. */
  closeReplaced(): Buffer | null {
    return this.#replaced.length < MAX_REPLACED ? null : closing(this.#replaced.splice(0));
  }

  closeAll(): Buffer {
    return closing([...this.#replaced, ...[...this.#statements.values()].map(({ name }) => name)]);
  }

  /** Renames the statement in a DEALLOCATE: some drivers use SQL to close what they prepared by message. */
  #renameInQuery(bytes: Buffer): Buffer {
    const query = bytes.toString("utf8", HEADER, HEADER + MAX_DEALLOCATE);
    if (DROPPING_ALL.test(query)) {
      for (const { name } of this.#statements.values()) this.#replaced.push(name);
      this.#statements.clear();
      return message("Q", cString("reset all"));
    }
    const name = DEALLOCATE.exec(query)?.[1];
    if (!name) return bytes;
    const own = name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();
    const statement = this.#statements.get(own);
    if (!statement) return bytes;
    this.#statements.delete(own);
    return message("Q", cString(`deallocate "${statement.name}"`));
  }

  #prepare(bytes: Buffer): Buffer {
    const { text, next } = readCString(bytes, HEADER);
    const known = this.#statements.get(text)?.name;
    if (text === "" && known) this.#replaced.push(known);
    const name = text !== "" && known ? known : `${this.#prefix}${this.#count++}`;
    const parse = message("P", cString(name), bytes.subarray(next));
    this.#statements.set(text, { name, parse });
    return parse;
  }

  /** An unknown name gets this client's prefix, so that it cannot match a statement of another client. */
  #nameOf(text: string): string {
    return this.#statements.get(text)?.name ?? `${this.#prefix}${text}?`;
  }
}

function closing(names: string[]): Buffer {
  return Buffer.concat([...names.map((name) => message("C", "S", cString(name))), message("S")]);
}
