import { gunzipSync } from "node:zlib";
import { ApiError } from "@/lib/api/api-error";
import { bodyTooLarge, readBytes } from "@/lib/ingest/bounded-body";
import { unpackSnappy } from "./snappy";

/** Far above what an agent sends of one machine, so that a body is read and understood within milliseconds. */
export const MAX_PACKED_BYTES = 256 * 1024;
export const MAX_UNPACKED_BYTES = 1024 * 1024;

export type Packing = "identity" | "gzip" | "snappy";

/** How a door wants its bodies. `types` are media types without parameters; `hint` tells how to send smaller ones. */
export type BodyRules = { types: readonly string[]; packings: readonly Packing[]; wanted: string; hint: string };

/**
 * Reads a body and unpacks it. What it says of its size is checked before it is unpacked, and held to.
 * @throws ApiError 415, 413, 408, 400
 */
export async function readPackedBody(
  request: Request,
  { types, packings, wanted, hint }: BodyRules,
): Promise<Uint8Array> {
  const [type = ""] = (request.headers.get("content-type") ?? "").toLowerCase().split(";");
  const packing = (request.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  const isWanted = (types.length === 0 || types.includes(type.trim())) && packings.some((one) => one === packing);
  if (!isWanted) throw new ApiError(415, wanted);
  if (packing === "identity") return readBytes(request, MAX_UNPACKED_BYTES, hint);
  const packed = await readBytes(request, MAX_PACKED_BYTES, hint);
  const tooLarge = () => bodyTooLarge(MAX_UNPACKED_BYTES, `Unpacked, that is. ${hint}`);
  return packing === "snappy" ? unpackSnappy(packed, MAX_UNPACKED_BYTES, tooLarge) : unpackGzip(packed, tooLarge);
}

/** Deflate makes nothing more than this many times smaller. */
const MOST_TIMES_SMALLER = 1032;

/** At once: on another thread the usual few kilobytes take twice the CPU, and the most that is let through a few milliseconds. */
function unpackGzip(packed: Uint8Array, tooLarge: () => ApiError): Uint8Array {
  // It ends with its size. One that is cut off ends with anything, and a liar is stopped by the limit.
  const announced = packed.length < 4 ? 0 : Buffer.from(packed.slice(-4)).readUInt32LE();
  if (announced > MAX_UNPACKED_BYTES && announced <= packed.length * MOST_TIMES_SMALLER) throw tooLarge();
  try {
    return gunzipSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge();
    throw new ApiError(400, "The body is not whole gzip.");
  }
}
