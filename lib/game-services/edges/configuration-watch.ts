import { reportOutage } from "@/lib/database/outage";
import { SECOND } from "@/lib/format/time";
import { runInBackground } from "@/lib/process/background";
import { isDraining, onDraining } from "@/lib/process/draining.mjs";
import { inTime } from "@/lib/process/in-time";
import { perProcess } from "@/lib/process/per-process.mjs";
import { acknowledgeAbsence, type Configuration, readConfiguration } from "./configuration";

/** How often the configuration is read while a node waits, in milliseconds. */
const LOOK_EVERY = SECOND;
/** The longest wait in a process that is shutting down. Not 0, or nodes would ask again at once. */
const WAIT_OF_DRAINING = SECOND;

type Waiter = { nodeId: number; revision: string; end(configuration: Configuration | null): void };

/**
 * The configuration that this process knows, and the nodes that wait for the next one. Each node has at most one waiting
 * request, so at most as many wait as there can be nodes (`MAX_NODES`).
 */
class ConfigurationWatch {
  #known: Configuration | null = null;
  /** The read that runs, or the last one. Never fails. */
  #reading: Promise<unknown> = Promise.resolve();
  #next: Promise<Configuration> | null = null;
  #timer: NodeJS.Timeout | undefined;
  readonly #waiters = new Map<number, Waiter>();

  /** Reads the current configuration. Calls during a read share the next read, because the running one may be too old. */
  look(): Promise<Configuration> {
    return inTime(() => {
      this.#next ??= this.#reading.then(() => this.#read());
      return this.#next;
    });
  }

  /** The configuration of the last second while a node waits. Otherwise reads it now. */
  async lookLately(): Promise<Configuration> {
    return this.#waiters.size > 0 && this.#known ? this.#known : this.look();
  }

  /**
   * Waits for a configuration other than `revision`. Null when there was none in time, the client went away, the same
   * node asks again, the node was removed, or the process is about to end.
   */
  wait(nodeId: number, revision: string, ms: number, signal: AbortSignal): Promise<Configuration | null> {
    this.#waiters.get(nodeId)?.end(null);
    // The next configuration may have been read after the caller looked. Nothing would wake this wait.
    if (this.#known && this.#known.revision !== revision) return Promise.resolve(this.#known);
    return new Promise((resolve) => {
      const end = (configuration: Configuration | null) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", giveUp);
        if (this.#waiters.get(nodeId) === waiter) this.#waiters.delete(nodeId);
        resolve(configuration);
      };
      const giveUp = () => end(null);
      const waiter: Waiter = { nodeId, revision, end };
      const timer = setTimeout(giveUp, isDraining() ? Math.min(ms, WAIT_OF_DRAINING) : ms);
      signal.addEventListener("abort", giveUp);
      this.#waiters.set(nodeId, waiter);
      if (signal.aborted) giveUp();
      else this.#timer ??= this.#tickLater();
    });
  }

  /** Ends every wait. */
  endAll(): void {
    for (const waiter of [...this.#waiters.values()]) waiter.end(null);
  }

  async #tick(): Promise<void> {
    try {
      await this.look();
    } catch (error) {
      // Nodes keep their configuration. Waiting requests end as if nothing had changed.
      reportOutage(error, { what: "configuration of edge nodes" });
    }
    this.#timer = undefined;
    if (this.#waiters.size > 0) this.#timer = this.#tickLater();
  }

  #tickLater(): NodeJS.Timeout {
    return setTimeout(() => this.#tick(), LOOK_EVERY).unref();
  }

  #wake(configuration: Configuration): void {
    const same: number[] = [];
    for (const waiter of [...this.#waiters.values()]) {
      if (waiter.revision === configuration.revision) same.push(waiter.nodeId);
      else waiter.end(configuration.nodeIds.has(waiter.nodeId) ? configuration : null);
    }
    if (configuration.gone.length > 0) {
      runInBackground("services that are gone", () => acknowledgeAbsence(configuration, same));
    }
  }

  #read(): Promise<Configuration> {
    this.#next = null;
    const reading = readConfiguration(this.#known).then((configuration) => {
      const isNew = configuration !== this.#known;
      this.#known = configuration;
      if (isNew) this.#wake(configuration);
      return configuration;
    });
    this.#reading = reading.catch(() => {});
    return reading;
  }
}

/** Of this process. */
export const configurationWatch = perProcess("edge-configuration", () => {
  const watch = new ConfigurationWatch();
  onDraining(() => watch.endAll());
  return watch;
});
