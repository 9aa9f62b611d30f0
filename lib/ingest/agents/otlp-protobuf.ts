import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { ApiError } from "@/lib/api/api-error";
import { MAX_ENTRIES, MAX_PARTS, tooManyEntries, tooManyParts } from "@/lib/ingest/body-bounds";
import { addPoint, type Growing, hostOf, noPoints, type Points } from "./otlp-points";

// ExportMetricsServiceRequest of OTLP in Protocol Buffers, by the numbers of its fields.

/** The sum that tells differences since the point before. */
const DELTA = 1;
/** The flag of a point without a value. */
const NO_VALUE = 1;

/** @throws ApiError 413 with too many entries or attributes, 400 with too many bad points and when the bytes are no such request. */
export function readProtobufMetrics(bytes: Uint8Array, hint: string): Points {
  const points = noPoints();
  try {
    new Body(bytes, hint).read(points);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(400, "The body is not a whole ExportMetricsServiceRequest of OTLP.");
  }
  const { hosts, readings, problems } = points;
  return { hosts, readings, problems: problems.list };
}

type Attributes = Record<string, string>;
/** What is called with the number of each field of a message. False: the field is passed over. */
type Field = (number: number, type: WireType) => boolean;

class Body {
  readonly #reader: BinaryReader;
  #entries = 0;
  #parts = 0;

  constructor(
    readonly bytes: Uint8Array,
    readonly hint: string,
  ) {
    this.#reader = new BinaryReader(bytes);
  }

  read(points: Growing): void {
    this.#fields(this.bytes.length, (field) => field === 1 && this.#entry(() => this.#resource(points)));
  }

  /** Its host may stand behind its metrics, so these are read in a second turn. */
  #resource(points: Growing): void {
    const attributes: Attributes = Object.create(null);
    const scopes: number[] = [];
    this.#message((field) => {
      if (field === 1) this.#message((inner) => inner === 1 && this.#attribute(attributes));
      else if (field === 2) {
        scopes.push(this.#reader.pos);
        return false;
      } else return false;
      return true;
    });
    const end = this.#reader.pos;
    for (const scope of scopes) {
      this.#reader.pos = scope;
      this.#entry(() =>
        this.#message((field) => field === 2 && this.#entry(() => this.#metric(points, hostOf(attributes)))),
      );
    }
    this.#reader.pos = end;
  }

  #metric(points: Growing, host: string): void {
    let name = "";
    const data: number[] = [];
    this.#message((field) => {
      if (field === 1) name = this.#reader.string();
      else {
        // A gauge or a sum.
        if (field === 5 || field === 7) data.push(this.#reader.pos);
        return false;
      }
      return true;
    });
    const end = this.#reader.pos;
    for (const from of data) {
      let isDelta = false;
      const found: number[] = [];
      this.#reader.pos = from;
      this.#message((field) => {
        if (field === 2) isDelta = this.#reader.int32() === DELTA;
        else {
          if (field === 1) found.push(this.#reader.pos);
          return false;
        }
        return true;
      });
      for (const point of found) {
        this.#reader.pos = point;
        this.#entry(() => this.#point(points, host, name, isDelta));
      }
    }
    this.#reader.pos = end;
  }

  #point(points: Growing, host: string, name: string, isDelta: boolean): void {
    const attributes: Attributes = Object.create(null);
    let [start, time, flags] = [0, 0, 0];
    let value: number | null = null;
    this.#message((field) => {
      if (field === 2) start = Number(this.#reader.fixed64());
      else if (field === 3) time = Number(this.#reader.fixed64());
      else if (field === 4) value = this.#reader.double();
      else if (field === 6) value = Number(this.#reader.sfixed64());
      else if (field === 7) return this.#attribute(attributes);
      else if (field === 8) flags = this.#reader.uint32();
      else return false;
      return true;
    });
    addPoint(points, {
      host,
      name,
      isDelta,
      attributes,
      start,
      time,
      value: (flags & NO_VALUE) === 0 ? value : Number.NaN,
    });
  }

  /** Keeps an attribute that is a text or a whole number. */
  #attribute(attributes: Attributes): true {
    this.#parts++;
    if (this.#parts > MAX_PARTS) throw tooManyParts(this.hint);
    let [key, value] = ["", null as string | null];
    this.#message((field) => {
      if (field === 1) key = this.#reader.string();
      else if (field === 2) {
        this.#message((kind) => {
          if (kind === 1) value = this.#reader.string();
          else if (kind === 3) value = String(this.#reader.int64());
          else return false;
          return true;
        });
      } else return false;
      return true;
    });
    if (value !== null) attributes[key] = value;
    return true;
  }

  #entry(read: () => void): true {
    this.#entries++;
    if (this.#entries > MAX_ENTRIES) throw tooManyEntries(this.hint);
    read();
    return true;
  }

  /** A message with its length before it. */
  #message(field: Field): true {
    const length = this.#reader.uint32();
    this.#fields(this.#reader.pos + length, field);
    return true;
  }

  #fields(end: number, field: Field): void {
    if (end > this.bytes.length) throw new RangeError("cut off");
    while (this.#reader.pos < end) {
      const [number, type] = this.#reader.tag();
      if (!field(number, type)) this.#reader.skip(type, number);
    }
    if (this.#reader.pos !== end) throw new RangeError("A field ends behind its message.");
  }
}

/** An ExportMetricsServiceResponse. */
export function protobufResponse(rejected: number, message: string): Uint8Array {
  const writer = new BinaryWriter();
  if (rejected === 0) return writer.finish();
  writer.tag(1, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.Varint).int64(rejected).tag(2, WireType.LengthDelimited).string(message);
  return writer.join().finish();
}

/** A google.rpc.Status. */
export function protobufStatus(code: number, message: string): Uint8Array {
  const writer = new BinaryWriter().tag(1, WireType.Varint).int32(code);
  return writer.tag(2, WireType.LengthDelimited).string(message).finish();
}
