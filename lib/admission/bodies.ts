import { SECOND } from "@/lib/format/time";
import { perProcess } from "@/lib/process/per-process";
import { nextTurn } from "@/lib/process/turns";
import type { Amounts, Payer, Place } from "./admission";
import { BusyError } from "./busy-error";
import { amounts, enter, FIRST_BYTES, PURPOSES, reportBusy, waitForPlace } from "./shares";

/** The bytes that a body holds: while it arrives, and until what it told is stored. */
export class HeldBytes {
  readonly #payer: Payer;
  #place: Place | null = null;
  #bytes = 0;
  #whenReleased = () => {};

  constructor(payer: Payer) {
    this.#payer = payer;
  }

  /**
   * Holds at least so many bytes. Without room for them everything is given back at once, so nobody waits while holding.
   * @throws BusyError
   */
  atLeast(bytes: number): void {
    if (bytes <= this.#bytes) return;
    const first = Math.min(bytes, FIRST_BYTES) - Math.min(this.#bytes, FIRST_BYTES);
    const needs = amounts({ firstBytes: first, arriving: bytes - this.#bytes - first });
    const isHeld = this.#place?.more(needs) ?? this.#begin(needs);
    if (!isHeld) {
      this.release();
      PURPOSES.body.counts.refused++;
      reportBusy(PURPOSES.body.name, this.#payer);
      throw new BusyError(PURPOSES.body.longestWait / SECOND);
    }
    this.#bytes = bytes;
  }

  /** Calls this with each release. */
  whenReleased(free: () => void): void {
    this.#whenReleased = free;
  }

  /** Gives all of them back. Calling it twice is harmless. */
  release(): void {
    this.#whenReleased();
    this.#place?.release();
    this.#place = null;
    this.#bytes = 0;
  }

  #begin(needs: Amounts): boolean {
    this.#place = enter(PURPOSES.body, this.#payer, needs);
    return this.#place !== null;
  }
}

/** In milliseconds: when bodies were read for longer in one turn of the event loop, the next one waits for another turn. */
const LONG_MS = 5;

/** How long bodies were read in this turn of the event loop. */
const thisTurn = perProcess("reading-in-this-turn", () => ({ ms: 0 }));

/**
 * Unpacks and reads a body in the turn of its payer. Bodies of one payer that differ in `own` take turns. `read` must not
 * wait for anything outside. @throws BusyError, and whatever `read` throws.
 */
export async function readInTurn<Read>(payer: Payer, own: string, read: () => Read | Promise<Read>): Promise<Read> {
  const place = await waitForPlace(PURPOSES.reading, payer, own);
  const startedAt = performance.now();
  try {
    return await read();
  } finally {
    const ms = performance.now() - startedAt;
    if (thisTurn.ms === 0) setImmediate(() => (thisTurn.ms = 0));
    thisTurn.ms += ms;
    if (thisTurn.ms > LONG_MS) void nextTurn().then(() => place.release(ms));
    else place.release(ms);
  }
}
