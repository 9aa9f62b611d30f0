import { perProcess } from "@/lib/process/per-process";
import { SECOND } from "@/lib/time";

const MB = 2 ** 20;

/** What unread answers may hold: of one token, and of all together. One answer always fits. */
const MAX_PER_TOKEN = 24 * MB;
const MAX_PER_PROCESS = 96 * MB;
/** So long a request waits for others to be read, and so many requests wait at once. */
export const ROOM_WAIT = 2 * SECOND;
const MAX_WAITING = 100;

/** The place that one answer takes from before it is made until its client has read it. */
export type Room = {
  /** Says how many bytes the answer really has. */
  resize(bytes: number): void;
  /** The answer is read, or will never be. Harmless when it is said twice. */
  release(): void;
};

type Waiting = { tokenId: number; bytes: number; admit(): void };

/** Bounds the bytes of answers that their clients have not read yet. */
export class Rooms {
  #total = 0;
  readonly #byToken = new Map<number, number>();
  readonly #waiting = new Set<Waiting>();

  /** Takes room for an answer of about `bytes`. Null: for two seconds there was none. */
  async take(tokenId: number, bytes: number): Promise<Room | null> {
    // Nobody overtakes who waits, except with what takes no room.
    const isNext = bytes === 0 || (this.#fits(tokenId, bytes) && !this.#isAwaited(tokenId));
    if (!isNext && !(await this.#wait(tokenId, bytes))) return null;
    if (isNext) this.#add(tokenId, bytes);
    let held = bytes;
    const resize = (size: number) => {
      this.#add(tokenId, size - held);
      held = size;
      this.#admit();
    };
    return { resize, release: () => resize(0) };
  }

  #wait(tokenId: number, bytes: number): Promise<boolean> {
    if (this.#waiting.size >= MAX_WAITING) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiting = {
        tokenId,
        bytes,
        admit: () => {
          clearTimeout(timer);
          this.#waiting.delete(waiting);
          this.#add(tokenId, bytes);
          resolve(true);
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        resolve(false);
      }, ROOM_WAIT);
      this.#waiting.add(waiting);
    });
  }

  #admit(): void {
    for (const waiting of this.#waiting) if (this.#fits(waiting.tokenId, waiting.bytes)) waiting.admit();
  }

  #isAwaited(tokenId: number): boolean {
    for (const waiting of this.#waiting) if (waiting.tokenId === tokenId) return true;
    return false;
  }

  #fits(tokenId: number, bytes: number): boolean {
    const own = this.#byToken.get(tokenId) ?? 0;
    const isWithin = (held: number, max: number) => held === 0 || held + bytes <= max;
    return isWithin(own, MAX_PER_TOKEN) && isWithin(this.#total, MAX_PER_PROCESS);
  }

  #add(tokenId: number, bytes: number): void {
    const own = (this.#byToken.get(tokenId) ?? 0) + bytes;
    if (own > 0) this.#byToken.set(tokenId, own);
    else this.#byToken.delete(tokenId);
    this.#total += bytes;
  }
}

/** Of this process. */
export const rooms = perProcess("rooms", () => new Rooms());
