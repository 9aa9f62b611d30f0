import { ApiError } from "@/lib/api/api-error";
import { gunzip, unpackedTooLarge } from "@/lib/ingest/read-body";
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
  const refused = isTaken ? "" : ` Content-Encoding: ${sentPacking(headers)} is not taken.`;
  if (!isTaken || (types.length > 0 && !types.includes(type.trim()))) throw new ApiError(415, wanted + refused);
}

/** How many bytes a body may have before it is unpacked. */
export function maxBytesOf(headers: Headers): number {
  return packingOf(headers) === "identity" ? MAX_UNPACKED_BYTES : MAX_PACKED_BYTES;
}

/** Unpacks a body, up to a bound. @throws ApiError 413, 400 */
export function unpack(bytes: Buffer, headers: Headers, hint: string): Buffer {
  const packing = packingOf(headers);
  if (packing === "snappy")
    return unpackSnappy(bytes, MAX_UNPACKED_BYTES, () => unpackedTooLarge(MAX_UNPACKED_BYTES, hint));
  return packing === "gzip" ? gunzip(bytes, MAX_UNPACKED_BYTES, hint) : bytes;
}

/** `x-gzip` is gzip (RFC 9110, section 8.4.1.3). */
function packingOf(headers: Headers): string {
  return sentPacking(headers)
    .toLowerCase()
    .replace(/^x-gzip$/, "gzip");
}

/** As it was sent, as far as it can be shown. An empty header is none. */
function sentPacking(headers: Headers): string {
  const sent = headers.get("content-encoding")?.trim() || "identity";
  return sent.replace(/[^ -~]/g, "?").slice(0, 32);
}
