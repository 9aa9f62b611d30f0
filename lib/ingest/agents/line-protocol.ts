import { MAX_ENTRIES, MAX_PARTS, Problems, tooManyEntries, tooManyParts } from "@/lib/ingest/body-bounds";
import { utf8 } from "@/lib/ingest/bounded-body";
import { INFLUX_TAGS, influxKey, isInfluxMeasurement } from "@/lib/servers/telemetry/agents/influx";
import type { Reading } from "@/lib/servers/telemetry/agents/readings";

// InfluxDB's line protocol: measurement,tag=value field=value,field=value time

/** What the lines of a body tell. `hosts` are those of the lines that tell something; `problems` name the bad lines. */
export type Lines = { hosts: Set<string>; readings: Reading[]; problems: readonly string[] };

const [NEWLINE, COMMA, BACKSLASH] = [0x0a, 0x2c, 0x5c];

/**
 * Reads the lines of a body. A bad line does not affect the others. `msPerUnit`: what times are given in.
 * @throws ApiError 413 with too many lines, tags, fields or readings, 400 with too many bad lines and when it is no UTF-8.
 */
export function readLines(bytes: Uint8Array, msPerUnit: number, arrivedAt: Date, hint = ""): Lines {
  requireBounded(bytes, hint);
  const [hosts, readings, problems] = [new Set<string>(), [] as Reading[], new Problems()];
  const scanner = new Scanner(utf8(bytes), hint);
  while (scanner.hasMore()) {
    const number = scanner.line;
    const line = scanner.readLine();
    if (line === null) continue;
    if (typeof line === "string") {
      problems.add(`line ${number}: ${line}`);
      scanner.skipLine();
      continue;
    }
    const ts = line.time === null ? arrivedAt.getTime() : Math.floor(line.time * msPerUnit);
    for (const { key, value } of line.values) readings.push({ key, ts, value });
    if (line.values.length > 0) hosts.add(line.host);
  }
  return { hosts, readings, problems: problems.list };
}

/** Counts in the bytes what lines, tags and fields end with. Texts in quotes count as if they were none. */
function requireBounded(bytes: Uint8Array, hint: string): void {
  let [lines, parts] = [1, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === NEWLINE) {
      lines++;
      if (lines > MAX_ENTRIES + 1) throw tooManyEntries(hint);
    } else if (byte === COMMA || byte === BACKSLASH) {
      parts++;
      if (parts > MAX_PARTS) throw tooManyParts(hint);
    }
  }
}

/** Of a line, what tells something. */
type Line = { host: string; values: readonly { key: string; value: number }[]; time: number | null };

/** What is wrong with a line. */
type Problem = string;

// Sticky: they match where the scanner stands.
const MEASUREMENT = /(?:[^\\, \n]|\\[^\n]?)*/y;
const NAME = /(?:[^\\,= \n]|\\[^\n]?)*/y;
const WORD = /[^, \r\n]*/y;
/** A number or a boolean. Nothing follows that could make it try again with less: a million digits would take hours. */
const VALUE =
  /[+-]?(?:\d+(?:[iu]|(?:\.\d*)?(?:[eE][+-]?\d+)?)|\.\d+(?:[eE][+-]?\d+)?)|true|True|TRUE|t|T|false|False|FALSE|f|F/y;
/** What may stand behind a value. The end of the text is an empty character, which every text includes. */
const BEHIND_VALUE = ", \r\n";

const INTEGER = /^[+-]?\d+$/;
const [QUOTE, EQUALS, SPACE, RETURN, HASH] = [0x22, 0x3d, 0x20, 0x0d, 0x23];
const NOTHING: Line["values"] = [];

/** Reads lines one after the other, since a text in quotes may hold line breaks. */
class Scanner {
  #at = 0;
  #values = 0;
  /** The number of the line that is read next. */
  line = 1;

  constructor(
    readonly text: string,
    readonly hint: string,
  ) {}

  hasMore(): boolean {
    return this.#at < this.text.length;
  }

  /** Null for an empty line and for a comment. After a problem the scanner stands somewhere in the line. */
  readLine(): Line | Problem | null {
    this.#skip(SPACE);
    const first = this.text.charCodeAt(this.#at);
    if (first === HASH || first === NEWLINE || first === RETURN || Number.isNaN(first)) {
      this.skipLine();
      return null;
    }
    const measurement = this.#name(MEASUREMENT);
    if (measurement === "") return "has no measurement.";
    const tags = isInfluxMeasurement(measurement) ? Object.create(null) : null;
    while (this.#takes(COMMA)) {
      const isWhole = this.#tag(tags);
      if (!isWhole) return "has a tag without a value.";
    }
    if (!this.#takes(SPACE)) return "has no field.";
    this.#skip(SPACE);
    let values = NOTHING as { key: string; value: number }[];
    do {
      const from = this.#at;
      this.#match(NAME);
      const to = this.#at;
      if (to === from || !this.#takes(EQUALS)) return "has no field.";
      if (this.text.charCodeAt(this.#at) === QUOTE) {
        if (!this.#quoted()) return "has a text without an end.";
        continue;
      }
      const start = this.#at;
      this.#match(VALUE);
      const isValue = this.#at > start && BEHIND_VALUE.includes(this.text.charAt(this.#at));
      if (!isValue) {
        const field = unescaped(this.text.slice(from, to));
        return `the value of ${JSON.stringify(field.slice(0, 64))} is not a number, text or boolean.`;
      }
      if (tags === null) continue;
      const key = influxKey(measurement, tags, unescaped(this.text.slice(from, to)));
      const value = key === null ? null : numberOf(this.text.slice(start, this.#at));
      if (key === null || value === null) continue;
      this.#values++;
      if (this.#values > MAX_ENTRIES) throw tooManyEntries(this.hint);
      if (values === NOTHING) values = [];
      values.push({ key, value });
    } while (this.#takes(COMMA));
    return this.#end(tags?.host ?? "", values);
  }

  /** Goes on behind the end of the line. */
  skipLine(): void {
    const end = this.text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.text.length : end + 1;
    this.line++;
  }

  #end(host: string, values: Line["values"]): Line | Problem {
    this.#skip(SPACE);
    const from = this.#at;
    this.#match(WORD);
    const word = this.text.slice(from, this.#at);
    if (word !== "" && !INTEGER.test(word)) return "has a time that is not a whole number.";
    this.#skip(SPACE);
    this.#takes(RETURN);
    if (this.hasMore() && this.text.charCodeAt(this.#at) !== NEWLINE) return "goes on behind its time.";
    this.skipLine();
    return { host, values, time: word === "" ? null : Number(word) };
  }

  /** Reads a tag into `tags`, if they are wanted and it is. False: it has no value. */
  #tag(tags: Record<string, string> | null): boolean {
    const from = this.#at;
    this.#match(NAME);
    const to = this.#at;
    if (to === from || !this.#takes(EQUALS)) return false;
    const start = this.#at;
    this.#match(NAME);
    if (tags === null) return true;
    const name = unescaped(this.text.slice(from, to));
    if (INFLUX_TAGS.has(name)) tags[name] = unescaped(this.text.slice(start, this.#at));
    return true;
  }

  /** Goes on behind a text in quotes. False: it has no end. */
  #quoted(): boolean {
    let breaks = 0;
    for (let at = this.#at + 1; at < this.text.length; at++) {
      const character = this.text.charCodeAt(at);
      if (character === BACKSLASH) at++;
      else if (character === NEWLINE) breaks++;
      else if (character === QUOTE) {
        this.#at = at + 1;
        this.line += breaks;
        return true;
      }
    }
    return false;
  }

  /** A name up to the first character that ends it, which a backslash makes part of it. */
  #name(pattern: RegExp): string {
    const from = this.#at;
    this.#match(pattern);
    return unescaped(this.text.slice(from, this.#at));
  }

  /** Goes on behind what a sticky pattern finds here, if it finds anything. */
  #match(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    // Without the array that `exec` makes: a body has hundreds of fields.
    if (pattern.test(this.text)) this.#at = pattern.lastIndex;
  }

  #takes(character: number): boolean {
    if (this.text.charCodeAt(this.#at) !== character) return false;
    this.#at++;
    return true;
  }

  #skip(character: number): void {
    while (this.text.charCodeAt(this.#at) === character) this.#at++;
  }
}

function unescaped(name: string): string {
  return name.includes("\\") ? name.replace(/\\([,= ])/g, "$1") : name;
}

/** Null for a boolean, which no measurement of ours is, and for what is too large for a number. */
function numberOf(word: string): number | null {
  const last = word.charCodeAt(word.length - 1);
  const isWhole = last === 0x69 || last === 0x75;
  const value = Number(isWhole ? word.slice(0, -1) : word);
  return Number.isFinite(value) ? value : null;
}
