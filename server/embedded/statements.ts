import { cString, HEADER, message, readCString } from "./wire";

/** Would drop the statements of all clients. In its place stands what does nothing and answers no rows. */
const DROPPING_ALL = /^\s*(?:discard|deallocate(?:\s+prepare)?)\s+all\s*;?\s*\0/i;
/** How much of a query is looked at. */
const BEGINNING = 200;
const NOTHING = "unlisten *";
/** As many replaced statements are closed together. */
const MAX_REPLACED = 50;

/**
 * The prepared statements of one client. All clients share one PostgreSQL session, so each statement gets a name there that
 * no other has: also the one without a name, and each time that it is replaced.
 */
export class ClientStatements {
  /** Their names in PostgreSQL by the client's own. */
  readonly #names = new Map<string, string>();
  readonly #prefix: string;
  #replaced: string[] = [];
  #count = 0;

  /** @param id unlike that of any other client of the same database */
  constructor(id: number) {
    this.#prefix = `client${id}.`;
  }

  get isEmpty(): boolean {
    return this.#names.size === 0 && this.#replaced.length === 0;
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
      if (type === "C") this.#names.delete(text);
      return renamed;
    }
    const isDropping = type === "Q" && this.#dropsAll(bytes.toString("utf8", HEADER, HEADER + BEGINNING));
    return isDropping ? message("Q", cString(NOTHING)) : bytes;
  }

  /** The messages that close what was replaced, once that is much; null before. */
  closeReplaced(): Buffer | null {
    return this.#replaced.length < MAX_REPLACED ? null : closing(this.#replaced.splice(0));
  }

  closeAll(): Buffer {
    return closing([...this.#replaced, ...this.#names.values()]);
  }

  #prepare(bytes: Buffer): Buffer {
    const { text, next } = readCString(bytes, HEADER);
    const drops = this.#dropsAll(bytes.toString("utf8", next, next + BEGINNING));
    const query = drops ? [cString(NOTHING), bytes.subarray(readCString(bytes, next).next)] : [bytes.subarray(next)];
    const known = this.#names.get(text);
    if (text === "" && known) this.#replaced.push(known);
    const name = text !== "" && known ? known : `${this.#prefix}${this.#count++}`;
    this.#names.set(text, name);
    return message("P", cString(name), ...query);
  }

  /** Whether SQL, with its end, drops all statements. Then the client's own are forgotten. */
  #dropsAll(sql: string): boolean {
    if (!DROPPING_ALL.test(sql)) return false;
    this.#replaced.push(...this.#names.values());
    this.#names.clear();
    return true;
  }

  /** An unknown name gets this client's prefix, so that it cannot match a statement of another client. */
  #nameOf(text: string): string {
    return this.#names.get(text) ?? `${this.#prefix}${text}?`;
  }
}

function closing(names: string[]): Buffer {
  return Buffer.concat([...names.map((name) => message("C", "S", cString(name))), message("S")]);
}
