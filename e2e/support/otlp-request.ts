import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

// For tests: a request of OTLP, as the Collector sends it by default.

type Value = { stringValue?: string; intValue?: string | number };
type Attribute = { key: string; value: Value };
type Point = {
  attributes?: Attribute[];
  startTimeUnixNano?: string;
  timeUnixNano: string;
  asDouble?: number;
  asInt?: string | number;
};
type Data = { aggregationTemporality?: number; dataPoints: Point[] };
type Metric = { name: string; gauge?: Data; sum?: Data };
type Resource = { resource?: { attributes?: Attribute[] }; scopeMetrics: { metrics: Metric[] }[] };

/** An ExportMetricsServiceRequest in Protocol Buffers, from its JSON. */
export function exportRequest({ resourceMetrics }: { resourceMetrics: Resource[] }): Uint8Array {
  const writer = new BinaryWriter();
  const within = (field: number, write: () => void) => {
    writer.tag(field, WireType.LengthDelimited).fork();
    write();
    writer.join();
  };
  const attributes = (field: number, list: readonly Attribute[] = []) => {
    for (const { key, value } of list) {
      within(field, () => {
        writer.tag(1, WireType.LengthDelimited).string(key);
        within(2, () => {
          if (value.stringValue !== undefined) writer.tag(1, WireType.LengthDelimited).string(value.stringValue);
          else writer.tag(3, WireType.Varint).int64(Number(value.intValue));
        });
      });
    }
  };
  const point = (one: Point) => {
    if (one.startTimeUnixNano) writer.tag(2, WireType.Bit64).fixed64(one.startTimeUnixNano);
    writer.tag(3, WireType.Bit64).fixed64(one.timeUnixNano);
    if (one.asInt === undefined) writer.tag(4, WireType.Bit64).double(one.asDouble ?? 0);
    else writer.tag(6, WireType.Bit64).sfixed64(String(one.asInt));
    attributes(7, one.attributes);
  };
  const data = (field: number, { dataPoints, aggregationTemporality = 0 }: Data) =>
    within(field, () => {
      for (const one of dataPoints) within(1, () => point(one));
      writer.tag(2, WireType.Varint).int32(aggregationTemporality);
    });
  for (const { resource, scopeMetrics } of resourceMetrics) {
    within(1, () => {
      // Metrics may stand before the resource that they are of.
      for (const { metrics } of scopeMetrics) {
        within(2, () => {
          for (const { name, gauge, sum } of metrics) {
            within(2, () => {
              writer.tag(1, WireType.LengthDelimited).string(name);
              if (gauge) data(5, gauge);
              if (sum) data(7, sum);
            });
          }
        });
      }
      within(1, () => attributes(1, resource?.attributes));
    });
  }
  return writer.finish();
}
