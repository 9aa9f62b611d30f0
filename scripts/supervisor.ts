import { PlainError } from "@/lib/failures";
import { Deaths, MAX_DEATHS } from "@/server/restarts.mjs";

/** A process that has started. */
export type Running = {
  /** How it ended, once it has: its exit code, or the signal that ended it. */
  exited: Promise<string>;
  /** Whether it ended because its workers kept dying. Another start would not help. */
  hasGivenUp?(): boolean;
  /** Lets running requests finish. SIGTERM, the default, also lets load balancers notice; SIGINT ends that wait. */
  stop(signal?: "SIGTERM" | "SIGINT"): Promise<void>;
};

/**
 * Keeps one process running until `stop`. When the process ends by itself, it is started again and a line says so. The
 * supervisor gives up after five such ends within a minute, when a start fails, or when the process gave up itself.
 */
export class Supervisor {
  /** Rejects with a PlainError when the supervisor gives up. Never resolves. */
  readonly gaveUp: Promise<never>;
  #current: Promise<Running>;
  #isStopping = false;
  readonly #deaths = new Deaths();

  constructor(first: Running, start: () => Promise<Running>, say: (line: string) => void = console.error) {
    this.#current = Promise.resolve(first);
    this.gaveUp = this.#watch(start, say);
    // Prevents an unhandled rejection when no caller awaits it.
    this.gaveUp.catch(() => {});
  }

  /** From now on, the end of the process is not an error. */
  expectEnd(): void {
    this.#isStopping = true;
  }

  /** Stops the process, even during a restart. A second call with SIGINT ends it sooner. */
  async stop(signal?: "SIGTERM" | "SIGINT"): Promise<void> {
    this.expectEnd();
    const current = await this.#current.catch(() => null);
    await current?.stop(signal);
  }

  async #watch(start: () => Promise<Running>, say: (line: string) => void): Promise<never> {
    for (;;) {
      const current = await this.#current;
      const how = await current.exited;
      if (this.#isStopping) return new Promise<never>(() => {});
      if (current.hasGivenUp?.()) {
        throw new PlainError("The server's workers died again and again. It is not started again.");
      }
      if (this.#deaths.isLast()) {
        throw new PlainError(
          `The server ended by itself (${how}), ${MAX_DEATHS} times within a minute. It is not started again.`,
        );
      }
      say(`The server ended by itself (${how}). It is started again.`);
      this.#current = start();
    }
  }
}
