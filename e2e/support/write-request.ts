// For tests: what `remote-write.ts` reads, as Prometheus writes it.

export type Labels = Readonly<Record<string, string>>;
export type Series = { labels: Labels; samples: readonly (readonly [ms: number, value: number | "stale"])[] };

/** A WriteRequest of Prometheus' remote write 1.0, not packed. */
export function writeRequest(series: readonly Series[]): Buffer {
  return Buffer.concat(
    series.map(({ labels, samples }) =>
      delimited(1, [
        ...Object.entries(labels).map(([name, value]) =>
          delimited(1, [delimited(1, [Buffer.from(name)]), delimited(2, [Buffer.from(value)])]),
        ),
        ...samples.map(([ms, value]) => delimited(2, [Buffer.from([9]), double(value), Buffer.from([16]), varint(ms)])),
      ]),
    ),
  );
}

function delimited(field: number, parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([varint(field * 8 + 2), varint(content.length), content]);
}

/** A whole number as protobuf and Snappy write it. */
export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(Math.trunc(value)));
  do {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(bytes);
}

function double(value: number | "stale"): Buffer {
  const bytes = Buffer.alloc(8);
  if (value === "stale") bytes.writeBigUInt64LE(0x7ff0_0000_0000_0002n);
  else bytes.writeDoubleLE(value);
  return bytes;
}
