import { StacklessError } from "@/lib/failures";
import type { BodyStream } from "@/lib/process/shared-with-server.mjs";
import { SECOND } from "@/lib/time";
import type { HeldBytes } from "./bodies";
import { BusyError } from "./busy-error";
import { FIRST_BYTES } from "./shares";

/** In seconds: how long the first bytes of a body may take, and a short body. */
const FIRST_SECONDS = 10;
/** What a longer body must bring in any span of so many seconds. */
const SLOWEST = { bytes: 5 * 1024, seconds: 5 };

/** A body that cannot be received. The status is 413, 408 or 400. Its connection is of no more use, except with 413. */
export class BodyFault extends StacklessError {
  override name = "BodyFault";
  constructor(
    readonly status: 413 | 408 | 400,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Receives a body. Never reads or keeps more than `maxBytes`, and `held` holds what has come.
 * @throws BodyFault 413 beyond that, 408 when it does not arrive in time, 400 when it breaks off.
 * @throws BusyError when there is no room for its bytes.
 */
export async function receiveBody(
  request: { headers: Headers; body: BodyStream | null },
  held: HeldBytes,
  maxBytes: number,
): Promise<Pages> {
  const announced = Number(request.headers.get("content-length") ?? maxBytes);
  if (announced > maxBytes) throw tooLarge(maxBytes);
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
  const timer = watchPace(pages, (message) => refuse(new BodyFault(408, message)));
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (refusal) throw refusal;
      if (done || !value) return pages;
      if (pages.size + value.byteLength > maxBytes) throw tooLarge(maxBytes);
      pages.add(value);
    }
  } catch (error) {
    refuse(
      error instanceof BodyFault || error instanceof BusyError ? error : new BodyFault(400, "The body broke off."),
    );
    throw refusal;
  } finally {
    clearInterval(timer);
  }
}

function tooLarge(maxBytes: number): BodyFault {
  return new BodyFault(413, `The body is larger than ${maxBytes / 1024} KB.`);
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
