import { ApiError } from "@/lib/api/api-error";
import { type Descriptions, isDescription, prometheusKey } from "@/lib/servers/telemetry/agents/prometheus";
import type { Reading } from "@/lib/servers/telemetry/agents/readings";

// A reader of our own for the one message that remote write 1.0 sends (prometheus.WriteRequest: series of labels and
// samples). protobufjs would be a hundred times its size; pbf is small, but reads on past the end of a body that is cut off.

/** What the series of a request tell. `hosts` are the instances of those that tell something. */
export type RemoteWrite = { hosts: Set<string>; readings: Reading[]; descriptions: Descriptions };

/** The value of a sample is null where a stale marker ends its series. */
type Series = { labels: Record<string, string>; samples: { ts: number; value: number | null }[] };

/** @throws ApiError 400 when the bytes are no whole WriteRequest. */
export function readRemoteWrite(bytes: Uint8Array): RemoteWrite {
  const hosts = new Set<string>();
  const readings: Reading[] = [];
  const descriptions: Record<string, Record<string, string>> = {};
  const message = new Message(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  while (message.hasMore()) {
    const field = message.next();
    if (field !== TIME_SERIES) {
      message.skip();
      continue;
    }
    const { labels, samples } = readSeries(message.message());
    const { __name__: name = "", instance = "" } = labels;
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
    hosts.add(instance);
  }
  return { hosts, readings, descriptions };
}

const TIME_SERIES = 1;
const LABELS = 1;
const SAMPLES = 2;

function readSeries(series: Message): Series {
  const labels: Record<string, string> = Object.create(null);
  const samples: Series["samples"] = [];
  while (series.hasMore()) {
    const field = series.next();
    if (field === LABELS) {
      const label = series.message();
      let [name, value] = ["", ""];
      while (label.hasMore()) {
        const part = label.next();
        if (part === 1) name = label.text();
        else if (part === 2) value = label.text();
        else label.skip();
      }
      labels[name] = value;
    } else if (field === SAMPLES) {
      const sample = series.message();
      let value: number | null = 0;
      let ts = 0;
      while (sample.hasMore()) {
        const part = sample.next();
        if (part === 1) value = sample.doubleOrStale();
        else if (part === 2) ts = sample.integer();
        else sample.skip();
      }
      samples.push({ value, ts });
    } else {
      series.skip();
    }
  }
  return { labels, samples };
}

const VARINT = 0;
const EIGHT_BYTES = 1;
const DELIMITED = 2;
const FOUR_BYTES = 5;

/** Reads the fields of a message of Protocol Buffers one after the other. Never reads beyond its end. */
class Message {
  #at: number;
  readonly #end: number;
  #wireType = VARINT;

  constructor(
    readonly bytes: Buffer,
    from = 0,
    end = bytes.length,
  ) {
    this.#at = from;
    this.#end = end;
  }

  hasMore(): boolean {
    return this.#at < this.#end;
  }

  /** The number of the next field. Its value must be read or skipped. */
  next(): number {
    const tag = this.#varint();
    this.#wireType = tag % 8;
    return Math.floor(tag / 8);
  }

  message(): Message {
    const [from, end] = this.#delimited();
    return new Message(this.bytes, from, end);
  }

  text(): string {
    const [from, end] = this.#delimited();
    return this.bytes.toString("utf8", from, end);
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
    else if (this.#wireType === DELIMITED) this.#delimited();
    else if (this.#wireType === FOUR_BYTES) this.#advance(4);
    else throw broken();
  }

  #delimited(): [from: number, end: number] {
    this.#require(DELIMITED);
    const length = this.#varint();
    const from = this.#advance(length);
    return [from, from + length];
  }

  #varint(): number {
    let value = 0;
    for (let index = 0; index < 10; index++) {
      const byte = this.bytes[this.#advance(1)] as number;
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
