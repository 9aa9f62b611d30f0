import { WireType } from "@bufbuild/protobuf/wire";
import { ApiError } from "@/lib/api/api-error";
import {
  type Descriptions,
  isDescription,
  isPrometheusSeries,
  PROMETHEUS_LABELS,
  prometheusKey,
} from "@/lib/servers/telemetry/agents/prometheus";
import type { Reading } from "@/lib/servers/telemetry/agents/readings";
import { ProtobufBody } from "./protobuf-body";

// prometheus.WriteRequest of remote write 1.0, series of labels and samples, by the numbers of its fields.

/** What the series of a request tell. `hosts` are the instances of those that tell something. */
type RemoteWrite = { hosts: Set<string>; readings: Reading[]; descriptions: Descriptions };

/** Says what is taken. */
export const REMOTE_WRITE =
  "Send remote write 1.0: Content-Type: application/x-protobuf, Content-Encoding: snappy. Version 2.0 is not taken: set " +
  "protobuf_message: prometheus.WriteRequest under remote_write.";

/**
 * @throws ApiError 413 with too many series and samples, or labels; 415 for remote write 2.0; 400 when the bytes are no whole
 * WriteRequest.
 */
export function readRemoteWrite(bytes: Buffer, hint = ""): RemoteWrite {
  // Texts cost most. All is read once without them, so that what is refused is refused before any is made.
  new Body(bytes, hint, false).readSeries(() => undefined);
  const hosts = new Set<string>();
  const readings: Reading[] = [];
  const descriptions: Record<string, Record<string, string>> = {};
  new Body(bytes, hint, true).readSeries((labels, samples) => {
    const { [NAME]: name = "", instance = "" } = labels;
    if (!isPrometheusSeries(name)) return;
    const key = prometheusKey(name, labels);
    if (key !== null) {
      for (const { ts, value } of samples) {
        if (value === null || Number.isFinite(value)) readings.push({ key, ts, value });
      }
    } else if (isDescription(name)) {
      if (samples.some(({ value }) => value !== null)) descriptions[name] = labels;
    } else return;
    hosts.add(instance);
  });
  return { hosts, readings, descriptions };
}

const NAME = "__name__";
/** The one NaN that Prometheus means as the end of a series. */
const STALE = 0x7ff0_0000_0000_0002n;
/** The fields of remote write 2.0 that hold its texts and its series. */
const VERSION_TWO = [4, 5];

type Labels = Record<string, string>;
/** The value is null where a stale marker ends its series. */
type Sample = { ts: number; value: number | null };
/** Where a text stands. */
type Span = readonly [from: number, to: number];
const NO_TEXT: Span = [0, 0];

class Body extends ProtobufBody {
  constructor(
    bytes: Buffer,
    hint: string,
    readonly hasTexts: boolean,
  ) {
    super(bytes, hint);
  }

  /** Senders dress 2.0 as 1.0 and the other way round, so the body decides. @throws ApiError */
  readSeries(tell: (labels: Labels, samples: readonly Sample[]) => void): void {
    let [isOne, isTwo] = [false, false];
    this.read("WriteRequest of remote write 1.0", (field) => {
      if (VERSION_TWO.includes(field)) isTwo = true;
      if (field !== 1) return false;
      isOne = true;
      return this.entry(() => this.#series(tell));
    });
    if (isTwo && !isOne) throw new ApiError(415, REMOTE_WRITE);
  }

  #series(tell: (labels: Labels, samples: readonly Sample[]) => void): void {
    const labels: Labels = Object.create(null);
    const samples: Sample[] = [];
    this.message((field) => {
      if (field === 1) return this.#label(labels);
      return field === 2 && this.entry(() => this.#sample(samples));
    });
    tell(labels, samples);
  }

  /** Keeps a label that tells something. */
  #label(labels: Labels): true {
    let [name, value] = [NO_TEXT, NO_TEXT];
    this.part((field) => {
      if (field === 1) name = this.#span();
      else if (field === 2) value = this.#span();
      else return false;
      return true;
    });
    const text = this.#text(name);
    if (text === NAME || PROMETHEUS_LABELS.has(text)) labels[text] = this.#text(value);
    return true;
  }

  #sample(samples: Sample[]): void {
    const sample: Sample = { ts: 0, value: 0 };
    this.message((field) => {
      if (field === 1) sample.value = this.#double();
      else if (field === 2) sample.ts = this.#integer();
      else return false;
      return true;
    });
    samples.push(sample);
  }

  #span(): Span {
    const length = this.length();
    const from = this.reader.pos;
    this.reader.pos += length;
    return [from, this.reader.pos];
  }

  #text([from, to]: Span): string {
    return this.hasTexts ? this.bytes.toString("utf8", from, to) : "";
  }

  #double(): number | null {
    this.requireType(WireType.Bit64);
    const value = this.reader.double();
    return Number.isNaN(value) && this.bytes.readBigUInt64LE(this.reader.pos - 8) === STALE ? null : value;
  }

  #integer(): number {
    this.requireType(WireType.Varint);
    return Number(this.reader.int64());
  }
}
