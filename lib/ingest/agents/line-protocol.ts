import { MAX_ENTRIES, MAX_PARTS, Problems, tooManyEntries, tooManyParts } from "@/lib/ingest/body-bounds";
import { utf8 } from "@/lib/ingest/read-body";
import { INFLUX_TAGS, type InfluxTags, influxFields, influxKey, NO_TAGS } from "@/lib/servers/telemetry/agents/influx";
import type { Reading } from "@/lib/servers/telemetry/agents/readings";

// InfluxDB's line protocol: measurement,tag=value field=value,field=value time

/** What the lines of a body tell. `hosts` are those of the lines that tell something; `problems` name the bad lines. */
export type Lines = { hosts: Set<string>; readings: Reading[]; problems: readonly string[] };

/**
 * Reads the lines of a body. A bad line does not affect the others. `msPerUnit`: what times are given in.
 * @throws ApiError 413 with too many lines, tags, fields or readings, 400 with too many bad lines and when it is no UTF-8.
 */
export function readLines(bytes: Uint8Array, msPerUnit: number, arrivedAt: Date, hint = ""): Lines {
  requireFewLines(bytes, hint);
  const [hosts, problems] = [new Set<string>(), new Problems()];
  const scanner = new Scanner(utf8(bytes), hint);
  const { readings } = scanner;
  while (scanner.hasMore()) {
    const [number, before] = [scanner.line, readings.length];
    const line = scanner.readLine();
    if (line === null) continue;
    if (typeof line === "string") {
      readings.length = before;
      problems.add(`line ${number}: ${line}`);
      scanner.skipLine();
      continue;
    }
    const ts = line.time === null ? arrivedAt.getTime() : Math.floor(line.time * msPerUnit);
    for (let index = before; index < readings.length; index++) (readings[index] as Reading).ts = ts;
    if (readings.length > before) hosts.add(line.host);
  }
  return { hosts, readings, problems: problems.list };
}

/** Counts the lines before anything is read: the rest of a body with too many of them is not worth it. */
function requireFewLines(bytes: Uint8Array, hint: string): void {
  for (let [lines, end] = [0, bytes.indexOf(NEWLINE)]; end >= 0; end = bytes.indexOf(NEWLINE, end + 1)) {
    lines++;
    if (lines > MAX_ENTRIES) throw tooManyEntries(hint);
  }
}

/** Of a line, what tells something besides its readings. */
type Line = { host: string; time: number | null };

/** What is wrong with a line. */
type Problem = string;

/** What a measurement, the name of a tag or field, and a time end with: bits by the codes of characters. */
const [MEASUREMENT, NAME, TIME] = [1, 2, 4];
const ENDS = new Uint8Array(128);
for (const [kind, characters] of [
  [MEASUREMENT, ", \n"],
  [NAME, ",= \n"],
  [TIME, ", \r\n"],
] as const) {
  for (const character of characters) ENDS[character.charCodeAt(0)] = kind | (ENDS[character.charCodeAt(0)] ?? 0);
}

/** A number or a boolean. Nothing follows that could make it try again with less: a million digits would take hours. */
const VALUE =
  /[+-]?(?:\d+(?:[iu]|(?:\.\d*)?(?:[eE][+-]?\d+)?)|\.\d+(?:[eE][+-]?\d+)?)|true|True|TRUE|t|T|false|False|FALSE|f|F/y;
/** What may stand behind a value. The end of the text is an empty character, which every text includes. */
const BEHIND_VALUE = ", \r\n";

const INTEGER = /^[+-]?\d+$/;
const [NEWLINE, RETURN, SPACE, QUOTE, HASH] = [0x0a, 0x0d, 0x20, 0x22, 0x23];
const [COMMA, EQUALS, BACKSLASH] = [0x2c, 0x3d, 0x5c];

/** Reads lines one after the other, since a text in quotes may hold line breaks. */
class Scanner {
  #at = 0;
  /** Those of a line have no time until its end is read. */
  readonly readings: Reading[] = [];
  /** The number of the line that is read next. */
  line = 1;
  /** How many tags, fields and escaped characters were read. */
  #parts = 0;

  constructor(
    readonly text: string,
    readonly hint: string,
  ) {}

  hasMore(): boolean {
    return this.#at < this.text.length;
  }

  /**
   * Null for an empty line and for a comment. After a problem the scanner stands somewhere in the line.
   * @throws ApiError 413 with too many tags, fields or readings.
   */
  readLine(): Line | Problem | null {
    this.#skip(SPACE);
    const first = this.text.charCodeAt(this.#at);
    if (first === HASH || first === NEWLINE || first === RETURN || Number.isNaN(first)) {
      this.skipLine();
      return null;
    }
    const measurement = this.#next(MEASUREMENT);
    if (measurement === "") return "has no measurement.";
    const fields = influxFields(measurement);
    const tags = fields && { ...NO_TAGS };
    while (this.#takesPart()) {
      const isWhole = this.#tag(tags);
      if (!isWhole) return "has a tag without a value.";
    }
    if (!this.#takes(SPACE)) return "has no field.";
    this.#skip(SPACE);
    do {
      const name = this.#next(NAME);
      if (name === "" || !this.#takes(EQUALS)) return "has no field.";
      if (this.text.charCodeAt(this.#at) === QUOTE) {
        if (!this.#quoted()) return "has a text without an end.";
        continue;
      }
      const start = this.#at;
      VALUE.lastIndex = start;
      // Without the array that `exec` makes: a body has hundreds of fields.
      if (VALUE.test(this.text)) this.#at = VALUE.lastIndex;
      const isValue = this.#at > start && BEHIND_VALUE.includes(this.text.charAt(this.#at));
      if (!isValue) {
        return `the value of ${JSON.stringify(name.slice(0, 64))} is not a number, text or boolean.`;
      }
      if (fields === null || tags === null) continue;
      const key = influxKey(fields, tags, name);
      const value = key === null ? null : numberOf(this.text.slice(start, this.#at));
      if (key === null || value === null) continue;
      if (this.readings.length === MAX_ENTRIES) throw tooManyEntries(this.hint);
      this.readings.push({ key, ts: 0, value });
    } while (this.#takesPart());
    return this.#end(tags?.host ?? "");
  }

  /** Goes on behind the end of the line. */
  skipLine(): void {
    const end = this.text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.text.length : end + 1;
    this.line++;
  }

  #end(host: string): Line | Problem {
    this.#skip(SPACE);
    const word = this.#next(TIME);
    if (word !== "" && !INTEGER.test(word)) return "has a time that is not a whole number.";
    this.#skip(SPACE);
    this.#takes(RETURN);
    if (this.hasMore() && this.text.charCodeAt(this.#at) !== NEWLINE) return "goes on behind its time.";
    this.skipLine();
    return { host, time: word === "" ? null : Number(word) };
  }

  /** Reads a tag into `tags`, if they are wanted and it is. False: it has no value. */
  #tag(tags: InfluxTags | null): boolean {
    const name = this.#next(NAME);
    if (name === "" || !this.#takes(EQUALS)) return false;
    const value = this.#next(NAME);
    const known = tags && INFLUX_TAGS.get(name);
    if (known) tags[known] = value;
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

  /** What stands before the next character that ends this. In names, a backslash makes another character part of them. */
  #next(kind: number): string {
    const { text } = this;
    const from = this.#at;
    let [at, isEscaped] = [from, false];
    for (; at < text.length; at++) {
      const character = text.charCodeAt(at);
      if (character === BACKSLASH && kind !== TIME) {
        isEscaped = true;
        this.#countPart();
        if (at + 1 < text.length && text.charCodeAt(at + 1) !== NEWLINE) at++;
      } else if (character < ENDS.length && ((ENDS[character] as number) & kind) !== 0) break;
    }
    this.#at = at;
    const found = text.slice(from, at);
    return isEscaped ? found.replace(/\\([,= ])/g, "$1") : found;
  }

  /** Goes on behind a comma that another tag or field follows. */
  #takesPart(): boolean {
    const takes = this.#takes(COMMA);
    if (takes) this.#countPart();
    return takes;
  }

  #countPart(): void {
    this.#parts++;
    if (this.#parts > MAX_PARTS) throw tooManyParts(this.hint);
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

/** Null for a boolean, which no measurement of ours is, and for what is too large for a number. */
function numberOf(word: string): number | null {
  const last = word.charCodeAt(word.length - 1);
  const isWhole = last === 0x69 || last === 0x75;
  const value = Number(isWhole ? word.slice(0, -1) : word);
  return Number.isFinite(value) ? value : null;
}
