import { availableParallelism } from "node:os";
import { perProcess } from "@/lib/process/per-process";
import { SECOND } from "@/lib/time";

const MB = 2 ** 20;

/** What unread answers may hold: of one token, and of all together. One answer always fits. */
const MAX_PER_TOKEN = 24 * MB;
const MAX_PER_PROCESS = 96 * MB;
/** What answers may hold that are still being made, on a machine of so many cores: a week, or some days, for every two. */
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

type Waiting = {
  tokenId: number;
  bytes: number;
  /** How many of the same token waited when it came. */
  rank: number;
  admit(): void;
};

/**
 * Bounds the bytes of answers that their clients have not read yet, and of those that are being made: each of these
 * keeps a core of the database busy, which short requests would wait for.
 */
export class Rooms {
  #total = 0;
  #making = 0;
  readonly #maxMaking: number;
  readonly #byToken = new Map<number, number>();
  /** By rank, then in the order in which they came: who asks for much at once delays nobody else by that. */
  readonly #waiting: Waiting[] = [];

  constructor(cores = availableParallelism()) {
    this.#maxMaking = maxMaking(cores);
  }

  /** Takes room for an answer of about `bytes`. Null: for four seconds there was none. */
  async take(tokenId: number, bytes: number): Promise<Room | null> {
    if (bytes > 0 && !(await this.#wait(tokenId, bytes))) return null;
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
  #wait(tokenId: number, bytes: number): Promise<boolean> {
    const rank = this.#waiting.filter((waiting) => waiting.tokenId === tokenId).length;
    if (this.#waiting.length >= MAX_WAITING || rank >= MAX_WAITING_PER_TOKEN) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (isAdmitted: boolean) => {
        clearTimeout(timer);
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        resolve(isAdmitted);
      };
      const waiting: Waiting = {
        tokenId,
        bytes,
        rank,
        admit: () => {
          this.#making += bytes;
          this.#add(tokenId, bytes);
          end(true);
        },
      };
      const timer = setTimeout(() => end(false), ROOM_WAIT);
      const behind = this.#waiting.findIndex((other) => other.rank > rank);
      this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, waiting);
      this.#admit();
    });
  }

  /** Nobody overtakes who waits for an answer of the same token to be read, or for any other to be made. */
  #admit(): void {
    const passed = new Set<number>();
    for (const { tokenId, bytes, admit } of [...this.#waiting]) {
      if (passed.has(tokenId) || !this.#fits(tokenId, bytes)) passed.add(tokenId);
      else if (isWithin(this.#making, bytes, this.#maxMaking)) admit();
      else break;
    }
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
export const rooms = perProcess("rooms", () => new Rooms());
