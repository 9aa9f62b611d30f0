import { influxKey } from "@/lib/servers/telemetry/agents/influx";
import type { Reading } from "@/lib/servers/telemetry/agents/readings";
import { MAX_PROBLEMS } from "./problems";

// InfluxDB's line protocol: measurement,tag=value field=value,field=value time

/** What the lines of a body tell. `hosts` are those of the lines that tell something; `problems` name the bad lines. */
export type Lines = { hosts: Set<string>; readings: Reading[]; problems: string[] };

class BadLine extends Error {}

/** Reads the lines of a text. A bad line does not affect the others. `msPerUnit`: what times are given in. */
export function readLines(text: string, msPerUnit: number, arrivedAt: Date): Lines {
  const lines: Lines = { hosts: new Set(), readings: [], problems: [] };
  const scanner = new Scanner(text);
  while (scanner.hasMore()) {
    const number = scanner.line;
    try {
      const line = scanner.readLine();
      if (line) addLine(lines, line, msPerUnit, arrivedAt);
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      if (lines.problems.length < MAX_PROBLEMS) lines.problems.push(`line ${number}: ${error.message}`);
      scanner.skipLine();
    }
  }
  return lines;
}

type Line = { measurement: string; tags: Record<string, string>; fields: [string, number][]; time: number | null };

function addLine({ hosts, readings }: Lines, line: Line, msPerUnit: number, arrivedAt: Date): void {
  const { measurement, tags, fields, time } = line;
  const ts = time === null ? arrivedAt.getTime() : Math.floor(time * msPerUnit);
  for (const [field, value] of fields) {
    const key = influxKey(measurement, tags, field);
    if (key === null) continue;
    hosts.add(tags.host ?? "");
    readings.push({ key, ts, value });
  }
}

// Sticky: they match where the scanner stands.
const MEASUREMENT = /(?:[^\\, \n]|\\[^\n]?)*/y;
const NAME = /(?:[^\\,= \n]|\\[^\n]?)*/y;
const WORD = /[^, \r\n]*/y;

const WHOLE = /^[+-]?\d+[iu]$/;
const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const BOOLEAN = /^(?:t|T|true|True|TRUE|f|F|false|False|FALSE)$/;

/** Reads lines one after the other, since a text in quotes may hold line breaks. */
class Scanner {
  #at = 0;
  /** The number of the line that is read next. */
  line = 1;

  constructor(readonly text: string) {}

  hasMore(): boolean {
    return this.#at < this.text.length;
  }

  /** Null for an empty line and for a comment. */
  readLine(): Line | null {
    this.#skip(" ");
    const first = this.text[this.#at];
    if (first === "#" || first === "\n" || first === "\r" || first === undefined) {
      this.skipLine();
      return null;
    }
    const measurement = this.#name(MEASUREMENT);
    if (measurement === "") throw new BadLine("has no measurement.");
    const tags: Record<string, string> = Object.create(null);
    while (this.#takes(",")) {
      const tag = this.#name(NAME);
      if (tag === "" || !this.#takes("=")) throw new BadLine("has a tag without a value.");
      tags[tag] = this.#name(NAME);
    }
    if (!this.#takes(" ")) throw new BadLine("has no field.");
    this.#skip(" ");
    const fields = this.#fields();
    return { measurement, tags, fields, time: this.#time() };
  }

  /** Goes on behind the end of the line. */
  skipLine(): void {
    const end = this.text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.text.length : end + 1;
    this.line++;
  }

  #fields(): [string, number][] {
    const fields: [string, number][] = [];
    do {
      const field = this.#name(NAME);
      if (field === "" || !this.#takes("=")) throw new BadLine("has no field.");
      const value = this.text[this.#at] === '"' ? this.#quoted() : this.#value(field);
      if (value !== null) fields.push([field, value]);
    } while (this.#takes(","));
    return fields;
  }

  #time(): number | null {
    this.#skip(" ");
    const word = this.#word();
    if (word !== "" && !INTEGER.test(word)) throw new BadLine("has a time that is not a whole number.");
    this.#skip(" ");
    this.#takes("\r");
    if (this.hasMore() && this.text[this.#at] !== "\n") throw new BadLine("goes on behind its time.");
    this.skipLine();
    return word === "" ? null : Number(word);
  }

  /** A number; null for a boolean, which no measurement of ours is. */
  #value(field: string): number | null {
    const word = this.#word();
    if (WHOLE.test(word)) return Number(word.slice(0, -1));
    if (NUMBER.test(word)) return Number.isFinite(Number(word)) ? Number(word) : null;
    if (BOOLEAN.test(word)) return null;
    throw new BadLine(`the value of ${JSON.stringify(field.slice(0, 64))} is not a number, text or boolean.`);
  }

  #quoted(): null {
    let breaks = 0;
    for (let at = this.#at + 1; at < this.text.length; at++) {
      const character = this.text[at];
      if (character === "\\") at++;
      else if (character === "\n") breaks++;
      else if (character === '"') {
        this.#at = at + 1;
        this.line += breaks;
        return null;
      }
    }
    throw new BadLine("has a text without an end.");
  }

  /** A name up to the first character that ends it, which a backslash makes part of it. */
  #name(pattern: RegExp): string {
    const name = this.#match(pattern);
    return name.includes("\\") ? name.replace(/\\([,= ])/g, "$1") : name;
  }

  /** Up to a comma, a space or the end of the line. */
  #word(): string {
    return this.#match(WORD);
  }

  /** What a sticky pattern, which matches nothing at the least, finds here. */
  #match(pattern: RegExp): string {
    const from = this.#at;
    pattern.lastIndex = from;
    // Without the array that `exec` makes: a body has hundreds of fields.
    pattern.test(this.text);
    this.#at = pattern.lastIndex;
    return this.text.slice(from, this.#at);
  }

  #takes(character: string): boolean {
    if (this.text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #skip(character: string): void {
    while (this.text[this.#at] === character) this.#at++;
  }
}
