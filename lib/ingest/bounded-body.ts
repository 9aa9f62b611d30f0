import { ApiError } from "@/lib/api/api-error";
import { SECOND } from "@/lib/time";

/** A body that takes longer than this will not arrive. */
const BODY_TIMEOUT = 10 * SECOND;

/** Ends the connection instead of waiting for the rest of a body that does not arrive. */
const CLOSE = { Connection: "close" };

/**
 * Reads the body as text. Never reads or keeps more than `maxBytes`.
 * @throws ApiError 413 beyond that, 415 unless it is plain JSON by its headers, 408 when it does not arrive in time, 400
 * when it breaks off or is no UTF-8.
 */
export async function readJsonText(request: Request, maxBytes: number): Promise<string> {
  const [type = ""] = (request.headers.get("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json" || request.headers.has("content-encoding")) {
    throw new ApiError(415, "Send JSON, uncompressed, with Content-Type: application/json.");
  }
  return utf8(await readBytes(request, maxBytes));
}

/** @throws ApiError 400 when the bytes are no UTF-8. */
export function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ApiError(400, "The body is not UTF-8.");
  }
}

/**
 * Reads the body. Never reads or keeps more than `maxBytes`. `hint` tells a sender of a larger one what to do.
 * @throws ApiError 413 beyond that, 408 when it does not arrive in time, 400 when it breaks off.
 */
export async function readBytes(request: Request, maxBytes: number, hint = ""): Promise<Uint8Array> {
  const tooLarge = () => bodyTooLarge(maxBytes, hint);
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge();
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    const late = () => new ApiError(408, `The body did not arrive within ${BODY_TIMEOUT / SECOND} seconds.`, CLOSE);
    timer = setTimeout(() => reject(late()), BODY_TIMEOUT);
  });
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), timeUp]);
      if (done) return Buffer.concat(chunks);
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge();
      chunks.push(value);
    }
  } catch (error) {
    // Not awaited, because a slow sender also stops slowly.
    void reader.cancel().catch(() => {});
    throw error instanceof ApiError ? error : new ApiError(400, "The body broke off.", CLOSE);
  } finally {
    clearTimeout(timer);
  }
}

export function bodyTooLarge(maxBytes: number, hint = ""): ApiError {
  return new ApiError(413, `The body is larger than ${maxBytes / 1024} KB.${hint && ` ${hint}`}`);
}
