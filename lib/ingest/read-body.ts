import { gunzipSync } from "node:zlib";
import { ApiError } from "@/lib/api/api-error";
import { type Asker, enter } from "@/lib/process/fair";

/** In bytes. A larger body takes one of its asker's few places while it arrives. */
export const SMALL = 16 * 1024;
/** Ends the connection instead of waiting for the rest of a body that does not arrive. */
const CLOSE = { Connection: "close" };

/** What is needed of a request to read its body. */
type Sent = { headers: Headers; body: AsyncIterable<Uint8Array> | null; signal?: AbortSignal };

/**
 * Receives a body. Never reads or keeps more than `most` bytes; how long it may take, Node's own limit says.
 * @throws ApiError 413 with the hint, 400 when it breaks off. @throws BusyError
 */
export async function readBody(request: Sent, asker: Asker, most: number, hint = ""): Promise<Buffer> {
  const announced = Number(request.headers.get("content-length") ?? most);
  if (announced > most) throw tooLarge(most, hint);
  const leave = announced > SMALL ? await enter("body", asker, request.signal) : undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    // Asking for the body tells the client to send it.
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > most) throw tooLarge(most, hint);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, size);
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError(400, "The body broke off.", CLOSE);
  } finally {
    leave?.();
  }
}

/** Unpacks gzip. `hint` tells how to send smaller bodies. @throws ApiError 413, 400 */
export function gunzip(packed: Buffer, most: number, hint: string): Buffer {
  try {
    // At once: on another thread the usual few kilobytes take twice the CPU.
    return gunzipSync(packed, { maxOutputLength: most });
  } catch (error) {
    if (error instanceof RangeError) throw unpackedTooLarge(most, hint);
    throw new ApiError(400, "The body is not whole gzip.");
  }
}

export function unpackedTooLarge(most: number, hint: string): ApiError {
  return tooLarge(most, `Unpacked, that is.${hint && ` ${hint}`}`);
}

function tooLarge(most: number, hint: string): ApiError {
  return new ApiError(413, `The body is larger than ${most / 1024} KB.${hint && ` ${hint}`}`);
}

/** @throws ApiError 415 unless the body is plain JSON by its headers. */
export function requireJson(headers: Headers): void {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json" || headers.has("content-encoding")) {
    throw new ApiError(415, "Send JSON, uncompressed, with Content-Type: application/json.");
  }
}

/** @throws ApiError 400 when the bytes are no UTF-8. */
export function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ApiError(400, "The body is not UTF-8.");
  }
}
