import { ApiError } from "@/lib/api/api-error";

/**
 * Lets at most `atOnce` tasks run and at most `waiting` wait, first come first served: machines that all report at the
 * same moment leave connections to the database for everybody else.
 */
export class Turns {
  #running = 0;
  readonly #queue: (() => void)[] = [];

  constructor(
    readonly atOnce: number,
    readonly waiting: number,
  ) {}

  /** @throws ApiError 503 when too many wait already, or whatever the task throws. */
  async take<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.atOnce) this.#running++;
    else if (this.#queue.length < this.waiting) await new Promise<void>((go) => this.#queue.push(go));
    else throw new ApiError(503, "Very many machines report just now. Retry in a few seconds.", { "Retry-After": "5" });
    try {
      return await task();
    } finally {
      // The turn goes to whoever waits longest, or back.
      const next = this.#queue.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
