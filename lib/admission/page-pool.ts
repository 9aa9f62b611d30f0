import { perProcess } from "@/lib/process/per-process";

/** In bytes. */
export const PAGE = 16 * 1024;
const SLAB = 64 * PAGE;

/** A page of the pool, until it is given back. */
export type PooledPage = { bytes: Buffer; slab: Slab };
type Slab = { memory: ArrayBuffer; free: Buffer[] };

/**
 * Pages that large bodies are received into. Left to the garbage collector, their memory would stay for minutes, and so
 * would that of the next bodies beside it. A slab whose pages are all free gives its memory back to the system at once.
 */
class PagePool {
  readonly #slabs: Slab[] = [];
  /** Slabs with a free page and one in use. Those without one in use are empty. */
  readonly #partial = new Set<Slab>();
  readonly #empty: Slab[] = [];

  take(): PooledPage {
    const [partial] = this.#partial;
    const slab = partial ?? this.#refill() ?? this.#add();
    const bytes = slab.free.pop() as Buffer;
    if (slab.free.length === 0) this.#partial.delete(slab);
    else this.#partial.add(slab);
    return { bytes, slab };
  }

  give({ bytes, slab }: PooledPage): void {
    slab.free.push(bytes);
    if (slab.free.length * PAGE < SLAB) {
      this.#partial.add(slab);
      return;
    }
    this.#partial.delete(slab);
    this.#empty.push(slab);
    slab.memory.resize(0);
  }

  /** How many bytes of memory the pool has from the system. */
  get size(): number {
    return this.#slabs.reduce((sum, { memory }) => sum + memory.byteLength, 0);
  }

  #refill(): Slab | undefined {
    const slab = this.#empty.pop();
    // The pages are views of it, and have their length again.
    slab?.memory.resize(SLAB);
    return slab;
  }

  #add(): Slab {
    const memory = new ArrayBuffer(SLAB, { maxByteLength: SLAB });
    const free = Array.from({ length: SLAB / PAGE }, (_, n) => Buffer.from(memory, n * PAGE, PAGE));
    const slab = { memory, free };
    this.#slabs.push(slab);
    return slab;
  }
}

/** The pool of this process. */
export const pagePool = (): PagePool => perProcess("page-pool", () => new PagePool());
