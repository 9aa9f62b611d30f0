import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

// For tests: a request of OTLP, as the Collector sends it by default.

const WIRE = {
  ...{ string: WireType.LengthDelimited, int32: WireType.Varint, int64: WireType.Varint },
  ...{ fixed64: WireType.Bit64, sfixed64: WireType.Bit64, double: WireType.Bit64 },
};
/** The fields of a message by their names in JSON, in the order in which they are written. */
interface Message {
  readonly [name: string]: readonly [field: number, of: keyof typeof WIRE | Message];
}

const ATTRIBUTE: Message = { key: [1, "string"], value: [2, { stringValue: [1, "string"], intValue: [3, "int64"] }] };
const POINT: Message = {
  ...{
    startTimeUnixNano: [2, "fixed64"],
    timeUnixNano: [3, "fixed64"],
    asDouble: [4, "double"],
    asInt: [6, "sfixed64"],
  },
  attributes: [7, ATTRIBUTE],
};
const DATA: Message = { dataPoints: [1, POINT], aggregationTemporality: [2, "int32"] };
const METRIC: Message = { name: [1, "string"], gauge: [5, DATA], sum: [7, DATA] };
// Metrics may stand before the resource that they are of.
const RESOURCE_METRICS: Message = {
  scopeMetrics: [2, { metrics: [2, METRIC] }],
  resource: [1, { attributes: [1, ATTRIBUTE] }],
};

/** An ExportMetricsServiceRequest in Protocol Buffers, from its JSON. */
export function exportRequest(request: object): Uint8Array {
  return write(new BinaryWriter(), { resourceMetrics: [1, RESOURCE_METRICS] }, request).finish();
}

function write(writer: BinaryWriter, message: Message, value: object): BinaryWriter {
  for (const [name, [field, of]] of Object.entries(message)) {
    for (const one of [(value as Record<string, unknown>)[name] ?? []].flat()) {
      if (typeof of === "string") writer.tag(field, WIRE[of])[of](one as never);
      else write(writer.tag(field, WireType.LengthDelimited).fork(), of, one as object).join();
    }
  }
  return writer;
}
