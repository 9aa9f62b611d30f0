import type { Decision, Policy } from "./policy";

/** Logs of keys that fell silent are dropped each time this many keys have been added. */
const SWEEP_EVERY = 1024;

/**
 * The times of the last accepted requests of one key, in a ring: `next` is where the next one goes, and the `counted`
 * before it are those that were within the window at the last one.
 */
type Log = { times: Float64Array; next: number; counted: number };

/**
 * The sliding log within one process: exact, synchronous, and on a clock that never jumps.
 * `now` is in milliseconds and may count from any instant.
 */
export class MemoryLog {
  readonly #policy: Policy;
  readonly #logs = new Map<string, Log>();
  #addedSinceSweep = 0;

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  /** Decides, and counts `count` requests if there is room for all of them. */
  take(key: string, now = performance.now(), count = 1): Decision {
    const log = this.#logs.get(key) ?? this.#add(key, now);
    log.counted = this.#countedAt(log, now);
    const excess = log.counted + count - this.#policy.limit;
    if (excess <= 0) for (let taken = 0; taken < count; taken++) append(log, now);
    return this.#decide(log, log.counted, now, excess);
  }

  /** What `count` requests would be answered now. Counts nothing. */
  peek(key: string, now = performance.now(), count = 1): Decision {
    const { limit } = this.#policy;
    const log = this.#logs.get(key);
    if (!log) return { accepted: true, limit, remaining: limit, waitMs: 0 };
    const counted = this.#countedAt(log, now);
    return this.#decide(log, counted, now, counted + count - limit);
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#logs.size;
  }

  /**
   * How many still count at `now`. Each time is skipped once, when it expires, so the cost is constant for any limit.
   */
  #countedAt(log: Log, now: number): number {
    let { counted } = log;
    while (counted > 0 && now - oldest(log, counted) >= this.#policy.windowMs) counted--;
    return counted;
  }

  /** `excess`: how many counted requests must leave the window before another is accepted. */
  #decide(log: Log, counted: number, now: number, excess: number): Decision {
    const { limit, windowMs } = this.#policy;
    const first = oldest(log, counted - Math.max(0, excess - 1));
    const waitMs = counted === 0 ? 0 : Math.ceil(windowMs - (now - first));
    return { accepted: excess <= 0, limit, remaining: limit - counted, waitMs };
  }

  #add(key: string, now: number): Log {
    if (++this.#addedSinceSweep >= SWEEP_EVERY) this.#sweep(now);
    const log = { times: new Float64Array(this.#policy.limit), next: 0, counted: 0 };
    this.#logs.set(key, log);
    return log;
  }

  #sweep(now: number): void {
    this.#addedSinceSweep = 0;
    for (const [key, log] of this.#logs) if (this.#countedAt(log, now) === 0) this.#logs.delete(key);
  }
}

function append(log: Log, now: number): void {
  log.times[log.next] = now;
  log.next = (log.next + 1) % log.times.length;
  log.counted++;
}

/** The oldest of the last `counted` times. */
function oldest({ times, next }: Log, counted: number): number {
  return times[(next - counted + times.length) % times.length] ?? 0;
}
