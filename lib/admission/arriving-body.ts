import { StacklessError } from "@/lib/failures";
import { SECOND } from "@/lib/format/time";
import type { BodyStream } from "@/lib/process/shared-with-server.mjs";
import type { HeldBytes } from "./bodies";
import { BusyError } from "./busy-error";
import { PAGE, type PooledPage, pagePool } from "./page-pool";
import { FIRST_BYTES } from "./shares";

/** In seconds: how long the first bytes of a body may take, and a short body. */
const FIRST_SECONDS = 10;
/** What a longer body must bring in any span of so many seconds. */
const SLOWEST = { bytes: 5 * 1024, seconds: 5 };

/** A body that cannot be received. The status is 413, 408 or 400. Its connection cannot be used any more, except with 413. */
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

/**
 * The bytes of a body that have come, copied into pages: many small pieces would take more memory than their bytes. The
 * pages beyond the first bytes come from the pool and go back when the bytes are released.
 */
export class Pages {
  readonly #held: HeldBytes;
  readonly #announced: number;
  #first: Buffer = EMPTY;
  #pooled: PooledPage[] = [];
  size = 0;

  constructor(held: HeldBytes, announced: number) {
    this.#held = held;
    this.#announced = announced;
    held.whenReleased(() => this.#free());
  }

  /** @throws BusyError when there is no room for a further page. */
  add(piece: Uint8Array): void {
    for (let rest = piece; rest.length > 0; ) {
      const [page, used] = this.#page(rest.length);
      const fits = rest.subarray(0, page.length - used);
      page.set(fits, used);
      this.size += fits.length;
      rest = rest.subarray(fits.length);
    }
  }

  /** All bytes in one piece. The pages are given back. */
  whole(): Buffer {
    const pages = [this.#first, ...this.#pooled.map(({ bytes }) => bytes)];
    const whole = this.#pooled.length === 0 ? this.#first.subarray(0, this.size) : Buffer.concat(pages, this.size);
    this.#free();
    return whole;
  }

  #free(): void {
    for (const page of this.#pooled) pagePool().give(page);
    this.#pooled = [];
    this.#first = EMPTY;
  }

  /** The page that the next byte stands in, and how much of it is used. */
  #page(atLeast: number): [page: Buffer, used: number] {
    if (this.size === 0) {
      const length = Math.min(FIRST_BYTES, Math.max(this.#announced, atLeast));
      this.#held.atLeast(length);
      this.#first = Buffer.allocUnsafeSlow(length);
    }
    if (this.size < this.#first.length) return [this.#first, this.size];
    const used = (this.size - this.#first.length) % PAGE;
    if (used === 0) {
      this.#held.atLeast(this.size + PAGE);
      this.#pooled.push(pagePool().take());
    }
    return [this.#pooled.at(-1)?.bytes ?? EMPTY, used];
  }
}

const EMPTY = Buffer.alloc(0);
