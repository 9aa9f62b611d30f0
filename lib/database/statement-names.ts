import { createHash } from "node:crypto";

/** So many texts get a name. Each takes memory on every connection, and a list in a statement makes texts without end. */
const MAX_NAMES = 500;

/**
 * The names of prepared statements: hashes of their text. A counter would give two processes behind one pooler the same
 * name for different statements, and one would be answered the other's rows.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #isOn: boolean;

  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  /** Undefined: the statement goes without one. */
  find(text: string): string | undefined {
    if (!this.#isOn) return undefined;
    const known = this.#names.get(text);
    if (known || this.#names.size >= MAX_NAMES) return known;
    const name = `console_${createHash("sha256").update(text).digest("hex").slice(0, 40)}`;
    this.#names.set(text, name);
    return name;
  }

  /** False when they were off already. */
  turnOff(): boolean {
    const wasOn = this.#isOn;
    this.#isOn = false;
    this.#names.clear();
    return wasOn;
  }
}
