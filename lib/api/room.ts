import { availableParallelism } from "node:os";
import { env } from "@/lib/process/env";
import { perProcess } from "@/lib/process/per-process";
import { SECOND } from "@/lib/time";

const MB = 2 ** 20;

/** What unread answers may hold: of one token, and of all together. One answer always fits. */
const MAX_PER_TOKEN = 24 * MB;
const MAX_PER_PROCESS = 96 * MB;
/** What answers may hold that are still being made, on so many cores: a week, or some days, for every two. */
const maxMaking = (cores: number) => 8 * MB * Math.max(1, Math.floor(cores / 2));
/** So long a request waits for others to be made or read. */
export const ROOM_WAIT = 4 * SECOND;
/** So many requests wait at once, and so many of one token. */
const MAX_WAITING = 100;
const MAX_WAITING_PER_TOKEN = 50;

/** The place that one answer takes from before it is made until its client has read it. */
export type Room = {
  /** Says that the answer is made, and how many bytes it really has. */
  resize(bytes: number): void;
  /** The answer is read, or will never be. Harmless when it is said twice. */
  release(): void;
};

type Waiting = { tokenId: number; bytes: number; end(isAdmitted: boolean): void };

/**
 * Bounds the bytes of answers that their clients have not read yet, and of those that are being made: each of these
 * keeps a core of the database busy, which short requests would wait for.
 */
export class Rooms {
  #total = 0;
  #making = 0;
  readonly #maxMaking: number;
  readonly #byToken = new Map<number, number>();
  /** By token, each in the order in which they came; first the token whose turn it is. */
  readonly #waiting = new Map<number, Waiting[]>();

  /** `cores`: what this process has of the machine. */
  constructor(cores: number) {
    this.#maxMaking = maxMaking(cores);
  }

  /**
   * Takes room for an answer of about `bytes`. Null: for four seconds there was none, too many waited for some, or the
   * client went away, which `signal` tells.
   */
  async take(tokenId: number, bytes: number, signal?: AbortSignal): Promise<Room | null> {
    if (bytes > 0 && !(await this.#wait(tokenId, bytes, signal))) return null;
    let making = bytes;
    let held = bytes;
    const resize = (size: number) => {
      this.#making -= making;
      this.#add(tokenId, size - held);
      [making, held] = [0, size];
      this.#admit();
    };
    return { resize, release: () => resize(0) };
  }

  /** Whether there is room within four seconds; it is taken then. */
  #wait(tokenId: number, bytes: number, signal?: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const own = this.#waiting.get(tokenId) ?? [];
      const isFull = own.length >= MAX_WAITING_PER_TOKEN || this.#countWaiting() >= MAX_WAITING;
      const waiting: Waiting = {
        tokenId,
        bytes,
        end: (isAdmitted) => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", giveUp);
          this.#remove(waiting);
          if (isAdmitted) {
            this.#making += bytes;
            this.#add(tokenId, bytes);
          }
          resolve(isAdmitted);
        },
      };
      const giveUp = () => {
        waiting.end(false);
        // Another one may have waited behind it.
        this.#admit();
      };
      const timer = setTimeout(giveUp, ROOM_WAIT);
      signal?.addEventListener("abort", giveUp);
      this.#waiting.set(tokenId, [...own, waiting]);
      this.#admit();
      // Who need not wait is not kept out by those who do.
      if (signal?.aborted || (isFull && this.#waiting.get(tokenId)?.includes(waiting))) giveUp();
    });
  }

  #admit(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      next.end(true);
      // It is another token's turn.
      const left = this.#waiting.get(next.tokenId);
      this.#waiting.delete(next.tokenId);
      if (left) this.#waiting.set(next.tokenId, left);
    }
  }

  /**
   * The one to be admitted now, if any. Nobody overtakes who waits for an answer of the same token to be read, or for any
   * other to be made; the tokens take turns at that, so that who asks for much at once delays nobody else by it.
   */
  #next(): Waiting | null {
    for (const [first] of this.#waiting.values()) {
      if (!first || !this.#fits(first.tokenId, first.bytes)) continue;
      return isWithin(this.#making, first.bytes, this.#maxMaking) ? first : null;
    }
    return null;
  }

  #countWaiting(): number {
    let count = 0;
    for (const { length } of this.#waiting.values()) count += length;
    return count;
  }

  #remove(waiting: Waiting): void {
    const left = this.#waiting.get(waiting.tokenId)?.filter((other) => other !== waiting) ?? [];
    if (left.length > 0) this.#waiting.set(waiting.tokenId, left);
    else this.#waiting.delete(waiting.tokenId);
  }

  #fits(tokenId: number, bytes: number): boolean {
    const own = this.#byToken.get(tokenId) ?? 0;
    return isWithin(own, bytes, MAX_PER_TOKEN) && isWithin(this.#total, bytes, MAX_PER_PROCESS);
  }

  #add(tokenId: number, bytes: number): void {
    const own = (this.#byToken.get(tokenId) ?? 0) + bytes;
    if (own > 0) this.#byToken.set(tokenId, own);
    else this.#byToken.delete(tokenId);
    this.#total += bytes;
  }
}

const isWithin = (held: number, bytes: number, max: number) => held === 0 || held + bytes <= max;

/** Of this process. */
export const rooms = perProcess("rooms", () => new Rooms(availableParallelism() / env.workers));
