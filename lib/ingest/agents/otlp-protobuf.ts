import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { addPoint, type Growing, hostOf, noPoints, type Points } from "./otlp-points";
import { ProtobufBody } from "./protobuf-body";

// ExportMetricsServiceRequest of OTLP in Protocol Buffers, by the numbers of its fields.

/** The sum that tells differences since the point before. */
const DELTA = 1;
/** The flag of a point without a value. */
const NO_VALUE = 1;

/** @throws ApiError 413 with too many entries or attributes, 400 with too many bad points and when the bytes are no such request. */
export function readProtobufMetrics(bytes: Buffer, hint: string): Points {
  const points = noPoints();
  new Body(bytes, hint).readResources(points);
  const { hosts, readings, problems } = points;
  return { hosts, readings, problems: problems.list };
}

type Attributes = Record<string, string>;

class Body extends ProtobufBody {
  readResources(points: Growing): void {
    this.read(
      "ExportMetricsServiceRequest of OTLP",
      (field) => field === 1 && this.entry(() => this.#resource(points)),
    );
  }

  /** Its host may stand behind its metrics, so these are read in a second turn. */
  #resource(points: Growing): void {
    const attributes: Attributes = Object.create(null);
    const scopes: number[] = [];
    this.message((field) => {
      if (field === 2) return this.later(scopes);
      return field === 1 && this.message((inner) => inner === 1 && this.#attribute(attributes));
    });
    const host = hostOf(attributes);
    this.again(scopes, () => this.message((field) => field === 2 && this.entry(() => this.#metric(points, host))));
  }

  #metric(points: Growing, host: string): void {
    let name = "";
    const data: number[] = [];
    this.message((field) => {
      // A gauge or a sum.
      if (field === 5 || field === 7) return this.later(data);
      if (field !== 1) return false;
      name = this.reader.string();
      return true;
    });
    this.again(data, () => this.#data(points, host, name));
  }

  #data(points: Growing, host: string, name: string): void {
    let isDelta = false;
    const found: number[] = [];
    this.message((field) => {
      if (field === 1) return this.later(found);
      if (field !== 2) return false;
      isDelta = this.reader.int32() === DELTA;
      return true;
    });
    this.again(found, () => this.#point(points, host, name, isDelta));
  }

  #point(points: Growing, host: string, name: string, isDelta: boolean): void {
    const attributes: Attributes = Object.create(null);
    let [start, time, flags] = [0, 0, 0];
    let value = Number.NaN;
    this.message((field) => {
      if (field === 2) start = Number(this.reader.fixed64());
      else if (field === 3) time = Number(this.reader.fixed64());
      else if (field === 4) value = this.reader.double();
      else if (field === 6) value = Number(this.reader.sfixed64());
      else if (field === 7) return this.#attribute(attributes);
      else if (field === 8) flags = this.reader.uint32();
      else return false;
      return true;
    });
    if ((flags & NO_VALUE) !== 0) value = Number.NaN;
    addPoint(points, { host, name, isDelta, attributes, start, time, value });
  }

  /** Keeps an attribute that is a text or a whole number. */
  #attribute(attributes: Attributes): true {
    let [key, value] = ["", null as string | null];
    this.part((field) => {
      if (field === 1) key = this.reader.string();
      else if (field === 2) {
        return this.message((kind) => {
          if (kind === 1) value = this.reader.string();
          else if (kind === 3) value = String(this.reader.int64());
          else return false;
          return true;
        });
      } else return false;
      return true;
    });
    if (value !== null) attributes[key] = value;
    return true;
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
