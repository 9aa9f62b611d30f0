import { SECOND } from "@/lib/format/time";
import { endRepeated, logRepeated, type Repeated } from "@/lib/process/repeated.mjs";

/** After a failure the shared store is asked this often whether it answers again, and by nobody else. */
const PROBE_EVERY = 5 * SECOND;

const OUTAGE: Repeated = {
  level: "error",
  event: "rate limit store unavailable",
  over: "rate limit store available again",
};

/**
 * Whether the shared store answers. Once it has failed, it is probed until it answers, so that no request waits for it,
 * and the state is true though no request comes.
 */
export class StoreHealth {
  readonly #probe: () => Promise<unknown>;
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;

  /** `probe` asks the store what a request would. */
  constructor(probe: () => Promise<unknown>) {
    this.#probe = probe;
  }

  get isUp(): boolean {
    return this.#timer === null;
  }

  /** Notes that the store has failed. */
  reportFailure(error: unknown): void {
    logRepeated(OUTAGE, {
      reason: error instanceof Error ? error.message : String(error),
      decided: "in this process, until the store answers again",
    });
    this.#timer ??= this.#probeLater();
  }

  /** Ends the probes. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer ?? undefined);
  }

  #probeLater(): NodeJS.Timeout {
    return setTimeout(async () => {
      try {
        await this.#probe();
        this.#timer = null;
        endRepeated(OUTAGE.event);
      } catch (error) {
        if (this.#isStopped) return;
        this.#timer = this.#probeLater();
        this.reportFailure(error);
      }
    }, PROBE_EVERY).unref();
  }
}
