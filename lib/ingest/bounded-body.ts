import type { HeldBytes } from "@/lib/admission/bodies";
import { BusyError } from "@/lib/admission/busy-error";
import { FIRST_BYTES } from "@/lib/admission/shares";
import { ApiError } from "@/lib/api/api-error";
import { SECOND } from "@/lib/time";

/** In seconds: how long the first bytes of a body may take, and a short body. */
const FIRST_SECONDS = 10;
/** What a longer body must bring in any span of so many seconds. */
const SLOWEST = { bytes: 5 * 1024, seconds: 5 };

/** Ends the connection instead of waiting for the rest of a body that does not arrive. */
const CLOSE = { Connection: "close" };

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

/**
 * Receives a body. Never reads or keeps more than `maxBytes`, and `held` holds what has come. `hint` tells a sender of a
 * larger one what to do.
 * @throws ApiError 413 beyond that, 408 when it does not arrive in time, 400 when it breaks off.
 * @throws BusyError when there is no room for its bytes.
 */
export async function receiveBody(
  request: Pick<Request, "headers" | "body">,
  held: HeldBytes,
  maxBytes: number,
  hint = "",
): Promise<Pages> {
  const announced = Number(request.headers.get("content-length") ?? maxBytes);
  if (announced > maxBytes) throw bodyTooLarge(maxBytes, hint);
  const pages = new Pages(held, announced);
  // Asking for the body tells the client to send it.
  const reader = request.body?.getReader();
  if (!reader) return pages;
  let refusal: Error | null = null;
  const refuse = (error: Error) => {
    refusal ??= error;
    held.release();
    // Not awaited, because a slow sender also stops slowly.
    void reader.cancel().catch(() => {});
  };
  const timer = watchPace(pages, (message) => refuse(new ApiError(408, message, CLOSE)));
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (refusal) throw refusal;
      if (done) return pages;
      if (pages.size + value.byteLength > maxBytes) throw bodyTooLarge(maxBytes, hint);
      pages.add(value);
    }
  } catch (error) {
    refuse(
      error instanceof ApiError || error instanceof BusyError ? error : new ApiError(400, "The body broke off.", CLOSE),
    );
    throw refusal;
  } finally {
    clearInterval(timer);
  }
}

export function bodyTooLarge(maxBytes: number, hint = ""): ApiError {
  return new ApiError(413, `The body is larger than ${maxBytes / 1024} KB.${hint && ` ${hint}`}`);
}

/** Looks every second whether a body comes fast enough. Calls `tooSlow` once it does not. */
function watchPace(pages: Pages, tooSlow: (message: string) => void): NodeJS.Timeout {
  let seconds = 0;
  const sizes: number[] = [];
  return setInterval(() => {
    seconds++;
    if (pages.size <= FIRST_BYTES) {
      if (seconds >= FIRST_SECONDS) tooSlow(`The body did not arrive within ${FIRST_SECONDS} seconds.`);
      return;
    }
    sizes.push(pages.size);
    if (sizes.length <= SLOWEST.seconds) return;
    if (pages.size - (sizes.shift() ?? 0) < SLOWEST.bytes) {
      tooSlow(`The body came with less than 1 KB a second for ${SLOWEST.seconds} seconds.`);
    }
  }, SECOND);
}

/** In bytes. */
const PAGE = 16 * 1024;

/** The bytes of a body that have come, copied into pages: many small pieces would take more memory than their bytes. */
export class Pages {
  readonly #held: HeldBytes;
  readonly #announced: number;
  readonly #pages: Buffer[] = [];
  #room = 0;
  size = 0;

  constructor(held: HeldBytes, announced: number) {
    this.#held = held;
    this.#announced = announced;
  }

  /** @throws BusyError when there is no room for a further page. */
  add(piece: Uint8Array): void {
    let rest = piece;
    while (rest.length > 0) {
      if (this.#room === 0) this.#addPage(rest.length);
      const page = this.#pages.at(-1) as Buffer;
      const fits = rest.subarray(0, this.#room);
      page.set(fits, page.length - this.#room);
      this.#room -= fits.length;
      this.size += fits.length;
      rest = rest.subarray(fits.length);
    }
  }

  /** All bytes in one piece. */
  whole(): Buffer {
    return Buffer.concat(this.#pages, this.size);
  }

  #addPage(atLeast: number): void {
    const length = Math.min(PAGE, Math.max(this.#announced - this.size, atLeast));
    this.#held.atLeast(this.size + length);
    this.#pages.push(Buffer.allocUnsafeSlow(length));
    this.#room = length;
  }
}
