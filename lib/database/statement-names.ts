import { createHash } from "node:crypto";

/** The most texts that get a name. Each takes memory on every connection, and lists in statements make endless new texts. */
const MAX_NAMES = 500;

/**
 * Names prepared statements by a hash of their text. A counter would be unsafe: two processes behind one pooler would use
 * the same name for different statements, and one would get the other's rows.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #isOn: boolean;

  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  /** The name of a statement. Undefined: the statement is sent without a name. */
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
