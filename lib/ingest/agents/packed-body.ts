import { gunzipSync } from "node:zlib";
import { ApiError } from "@/lib/api/api-error";
import { withHint } from "@/lib/ingest/bounded-body";
import { unpackSnappy } from "./snappy";

/** Far above what an agent sends of one machine, so that a body is read and understood within milliseconds. */
const MAX_PACKED_BYTES = 256 * 1024;
const MAX_UNPACKED_BYTES = 1024 * 1024;

type Packing = "identity" | "gzip" | "snappy";

/** How an endpoint wants its bodies. `types` are media types without parameters; `hint` tells how to send smaller ones. */
export type Packed = { types: readonly string[]; packings: readonly Packing[]; wanted: string; hint: string };

/** @throws ApiError 415 */
export function requirePacking(headers: Headers, { types, packings, wanted }: Packed): void {
  const [type = ""] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  const packing = packingOf(headers);
  const isTaken = packings.some((one) => one === packing);
  const refused = isTaken ? "" : ` Content-Encoding: ${packing.replace(/[^\w.-]/g, "").slice(0, 32)} is not taken.`;
  if (!isTaken || (types.length > 0 && !types.includes(type.trim()))) throw new ApiError(415, wanted + refused);
}

/** How many bytes a body may have before it is unpacked. */
export function maxBytesOf(headers: Headers): number {
  return packingOf(headers) === "identity" ? MAX_UNPACKED_BYTES : MAX_PACKED_BYTES;
}

/** Unpacks a body. What it says of its size is checked before it is unpacked, and held to. @throws ApiError 413, 400 */
export function unpack(bytes: Buffer, headers: Headers, hint: string): Buffer {
  const packing = packingOf(headers);
  const message = `The body is larger than ${MAX_UNPACKED_BYTES / 1024} KB. Unpacked, that is.`;
  const tooLarge = () => new ApiError(413, withHint(message, hint));
  if (packing === "snappy") return unpackSnappy(bytes, MAX_UNPACKED_BYTES, tooLarge);
  return packing === "gzip" ? unpackGzip(bytes, tooLarge) : bytes;
}

function packingOf(headers: Headers): string {
  return (headers.get("content-encoding") ?? "identity").trim().toLowerCase();
}

/** Deflate makes nothing more than this many times smaller. */
const MOST_TIMES_SMALLER = 1032;

/** At once: on another thread the usual few kilobytes take twice the CPU, and the most that is let through a few milliseconds. */
function unpackGzip(packed: Buffer, tooLarge: () => ApiError): Buffer {
  // Gzip ends with the unpacked size. Where that is cut off or false, `maxOutputLength` holds.
  const announced = packed.length < 4 ? 0 : packed.readUInt32LE(packed.length - 4);
  if (announced > MAX_UNPACKED_BYTES && announced <= packed.length * MOST_TIMES_SMALLER) throw tooLarge();
  try {
    return gunzipSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge();
    throw new ApiError(400, "The body is not whole gzip.");
  }
}
