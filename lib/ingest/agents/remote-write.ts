import { ApiError } from "@/lib/api/api-error";
import { MAX_ENTRIES, MAX_PARTS, tooManyEntries, tooManyParts } from "@/lib/ingest/body-bounds";
import {
  type Descriptions,
  isDescription,
  isPrometheusSeries,
  PROMETHEUS_LABELS,
  prometheusKey,
} from "@/lib/servers/telemetry/agents/prometheus";
import type { Reading } from "@/lib/servers/telemetry/agents/readings";

// A reader of our own for the one message that remote write 1.0 sends (prometheus.WriteRequest: series of labels and
// samples). protobufjs would be a hundred times its size; pbf is small, but reads on past the end of a body that is cut off.

/** What the series of a request tell. `hosts` are the instances of those that tell something. */
type RemoteWrite = { hosts: Set<string>; readings: Reading[]; descriptions: Descriptions };

/** Says what is taken. */
export const REMOTE_WRITE =
  "Send remote write 1.0: Content-Type: application/x-protobuf, Content-Encoding: snappy. Version 2.0 is not taken: set " +
  "protobuf_message: prometheus.WriteRequest under remote_write.";

/** @throws ApiError 413 with too many series and samples, or labels; 400 when the bytes are no whole WriteRequest. */
export function readRemoteWrite(bytes: Buffer, hint = ""): RemoteWrite {
  const hosts = new Set<string>();
  const readings: Reading[] = [];
  const descriptions: Record<string, Record<string, string>> = {};
  // Texts cost most. All is read once without them, so that what is refused is refused before any is made.
  requireVersionOne(new Reader(bytes, hint, false));
  for (const { name, labels, samples } of seriesOf(new Reader(bytes, hint, true))) {
    if (!isPrometheusSeries(name)) continue;
    const key = prometheusKey(name, labels);
    if (key !== null) {
      for (const { ts, value } of samples) {
        if (value === null || Number.isFinite(value)) readings.push({ key, ts, value });
      }
    } else if (isDescription(name)) {
      if (samples.some(({ value }) => value !== null)) descriptions[name] = labels;
    } else {
      continue;
    }
    hosts.add(labels.instance ?? "");
  }
  return { hosts, readings, descriptions };
}

/** The fields of remote write 2.0 that hold its texts and its series. */
const VERSION_TWO = [4, 5];

/** Senders dress 2.0 as 1.0 and the other way round, so the body decides. @throws ApiError 415, and as `readRemoteWrite`. */
function requireVersionOne(reader: Reader): void {
  let [isOne, isTwo] = [false, false];
  while (reader.hasMore()) {
    const field = reader.next();
    if (field === TIME_SERIES) {
      readSeries(reader);
      isOne = true;
    } else {
      if (VERSION_TWO.includes(field)) isTwo = true;
      reader.skip();
    }
  }
  if (isTwo && !isOne) {
    throw new ApiError(415, REMOTE_WRITE);
  }
}

const TIME_SERIES = 1;
const LABELS = 1;
const SAMPLES = 2;
const NAME = "__name__";

/** The value of a sample is null where a stale marker ends its series. */
type Sample = { ts: number; value: number | null };
/** `labels` are those that tell something. */
type Series = { name: string; labels: Record<string, string>; samples: readonly Sample[] };

function* seriesOf(reader: Reader): Generator<Series> {
  while (reader.hasMore()) {
    if (reader.next() === TIME_SERIES) yield readSeries(reader);
    else reader.skip();
  }
}

function readSeries(reader: Reader): Series {
  const end = reader.enter();
  reader.countEntry();
  const labels: Record<string, string> = Object.create(null);
  const samples: Sample[] = [];
  let name = "";
  while (reader.hasMore()) {
    const field = reader.next();
    if (field === LABELS) {
      const label = readLabel(reader);
      if (label?.name === NAME) name = label.value;
      else if (label) labels[label.name] = label.value;
    } else if (field === SAMPLES) {
      samples.push(readSample(reader));
    } else {
      reader.skip();
    }
  }
  reader.leave(end);
  return { name, labels, samples };
}

/** Where a text stands. */
type Span = readonly [from: number, to: number];
const NO_TEXT: Span = [0, 0];

/** Null for a label that tells nothing. */
function readLabel(reader: Reader): { name: string; value: string } | null {
  const end = reader.enter();
  let name = NO_TEXT;
  let value = NO_TEXT;
  while (reader.hasMore()) {
    const field = reader.next();
    if (field === 1) name = reader.delimited();
    else if (field === 2) value = reader.delimited();
    else reader.skip();
  }
  reader.leave(end);
  const text = reader.text(name);
  return text === NAME || PROMETHEUS_LABELS.has(text) ? { name: text, value: reader.text(value) } : null;
}

function readSample(reader: Reader): Sample {
  const end = reader.enter();
  reader.countEntry();
  let value: number | null = 0;
  let ts = 0;
  while (reader.hasMore()) {
    const field = reader.next();
    if (field === 1) value = reader.doubleOrStale();
    else if (field === 2) ts = reader.integer();
    else reader.skip();
  }
  reader.leave(end);
  return { value, ts };
}

const VARINT = 0;
const EIGHT_BYTES = 1;
const DELIMITED = 2;
const FOUR_BYTES = 5;

/** A label or a sample has two fields and is one. */
const FIELDS_OF_PART = 3;

/**
 * Reads the fields of messages of Protocol Buffers one after the other, with their texts or without. Never reads beyond the
 * end of a message. Groups, which remote write does not have, are refused.
 */
class Reader {
  #at = 0;
  #end: number;
  #wireType = VARINT;
  #entries = 0;
  #fields = 0;

  constructor(
    readonly bytes: Buffer,
    readonly hint: string,
    readonly hasTexts: boolean,
  ) {
    this.#end = bytes.length;
  }

  countEntry(): void {
    this.#entries++;
    if (this.#entries > MAX_ENTRIES) throw tooManyEntries(this.hint);
  }

  hasMore(): boolean {
    return this.#at < this.#end;
  }

  /** The number of the next field. Its value must be read or skipped. */
  next(): number {
    this.#fields++;
    if (this.#fields > FIELDS_OF_PART * MAX_PARTS) throw tooManyParts(this.hint);
    const tag = this.#varint();
    this.#wireType = tag % 8;
    return Math.floor(tag / 8);
  }

  /** Goes into a message, and returns where the one around it ends. */
  enter(): number {
    const outer = this.#end;
    const length = this.#length();
    this.#end = this.#at + length;
    return outer;
  }

  /** Goes back to the message around, which ends there. */
  leave(outer: number): void {
    this.#end = outer;
  }

  delimited(): Span {
    const length = this.#length();
    const from = this.#advance(length);
    return [from, from + length];
  }

  /** Empty unless the reader makes texts. */
  text([from, to]: Span): string {
    return from === to || !this.hasTexts ? "" : this.bytes.toString("utf8", from, to);
  }

  /** A double; null for the one NaN that Prometheus means as the end of a series. */
  doubleOrStale(): number | null {
    this.#require(EIGHT_BYTES);
    const from = this.#advance(8);
    const isStale = this.bytes.readUInt32LE(from + 4) === 0x7ff00000 && this.bytes.readUInt32LE(from) === 2;
    return isStale ? null : this.bytes.readDoubleLE(from);
  }

  /** An int64. What exceeds 2^53 loses its last digits. */
  integer(): number {
    this.#require(VARINT);
    const unsigned = this.#varint();
    return unsigned < 2 ** 63 ? unsigned : unsigned - 2 ** 64;
  }

  skip(): void {
    if (this.#wireType === VARINT) this.#varint();
    else if (this.#wireType === EIGHT_BYTES) this.#advance(8);
    else if (this.#wireType === DELIMITED) this.#advance(this.#length());
    else if (this.#wireType === FOUR_BYTES) this.#advance(4);
    else throw broken();
  }

  /** The length of a text or a message that is whole. */
  #length(): number {
    this.#require(DELIMITED);
    const length = this.#varint();
    if (this.#at + length > this.#end) throw broken();
    return length;
  }

  #varint(): number {
    let value = 0;
    for (let index = 0; index < 10; index++) {
      const byte = this.bytes[this.#advance(1)] as number;
      if (index === 0 && byte < 128) return byte;
      value += (byte & 127) * 2 ** (7 * index);
      if (byte < 128) return value;
    }
    throw broken();
  }

  #require(wireType: number): void {
    if (this.#wireType !== wireType) throw broken();
  }

  #advance(by: number): number {
    const from = this.#at;
    if (from + by > this.#end) throw broken();
    this.#at += by;
    return from;
  }
}

function broken(): ApiError {
  return new ApiError(400, "The body is not a whole WriteRequest of remote write 1.0.");
}
