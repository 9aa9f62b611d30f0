import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { Failure, FailureBody } from "@/lib/ingest/endpoint";

export const PROTOBUF = "application/x-protobuf";

const [INVALID_ARGUMENT, NOT_FOUND, RESOURCE_EXHAUSTED, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, UNAUTHENTICATED] = [
  3, 5, 8, 12, 13, 14, 16,
];
const CODES: Readonly<Record<number, number>> = {
  401: UNAUTHENTICATED,
  404: NOT_FOUND,
  405: UNIMPLEMENTED,
  429: RESOURCE_EXHAUSTED,
  500: INTERNAL,
  503: UNAVAILABLE,
};

/** Whether a request of OTLP with this Content-Type is in Protocol Buffers. Then its answer is, too. */
export function isProtobuf(type: string | null | undefined): boolean {
  return /^application\/x-protobuf\s*(?:;|$)/i.test((type ?? "").trim());
}

/** A google.rpc.Status, where agents of OTLP look for the reason of a failure, in the encoding of the request. */
export function otlpFailure({ status, message }: Failure, type: string | null | undefined): FailureBody {
  const code = CODES[status] ?? INVALID_ARGUMENT;
  if (!isProtobuf(type)) return { code, message };
  const writer = new BinaryWriter().tag(1, WireType.Varint).int32(code);
  return { bytes: writer.tag(2, WireType.LengthDelimited).string(message).finish(), type: PROTOBUF };
}
