import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

// For tests: what `remote-write.ts` reads, as Prometheus writes it.

export type Labels = Readonly<Record<string, string>>;
export type Series = { labels: Labels; samples: readonly (readonly [ms: number, value: number | "stale"])[] };

/** The number by which Prometheus says that a series has ended. */
const STALE = 0x7ff0_0000_0000_0002n;

/** A WriteRequest of Prometheus' remote write 1.0, not packed. */
export function writeRequest(series: readonly Series[]): Buffer {
  const writer = new BinaryWriter();
  const open = (field: number) => writer.tag(field, WireType.LengthDelimited).fork();
  for (const { labels, samples } of series) {
    open(1);
    for (const [name, value] of Object.entries(labels)) {
      open(1).tag(1, WireType.LengthDelimited).string(name).tag(2, WireType.LengthDelimited).string(value).join();
    }
    for (const [ms, value] of samples) {
      open(2).tag(1, WireType.Bit64);
      (value === "stale" ? writer.fixed64(STALE) : writer.double(value)).tag(2, WireType.Varint).int64(ms).join();
    }
    writer.join();
  }
  return Buffer.from(writer.finish());
}

/** A whole number as protobuf and Snappy write it. */
export const varint = (value: number) => Buffer.from(new BinaryWriter().int64(value).finish());
