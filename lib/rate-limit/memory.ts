import type { Decision, Policy } from "./policy";

/** Logs of keys that fell silent are dropped each time this many keys have been added. */
const SWEEP_EVERY = 1024;

/** The times of the last accepted requests of one key, in a ring: `next` is the oldest entry once the ring is full. */
type Log = { times: Float64Array; next: number; last: number };

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

  /** Decides, and counts the request if it is accepted. */
  take(key: string, now = performance.now()): Decision {
    const before = this.peek(key, now);
    if (!before.accepted) return before;
    this.record(key, now);
    const { waitMs } = this.peek(key, now);
    return { ...before, remaining: before.remaining - 1, waitMs };
  }

  /** What a request would be answered now. Counts nothing. */
  peek(key: string, now = performance.now()): Decision {
    const { limit, windowMs } = this.#policy;
    const log = this.#logs.get(key);
    const counted = log ? countedTimes(log, windowMs, now) : [];
    const oldest = counted[0];
    return {
      accepted: counted.length < limit,
      limit,
      remaining: limit - counted.length,
      waitMs: oldest === undefined ? 0 : Math.ceil(windowMs - (now - oldest)),
    };
  }

  /** Counts a request that was accepted, here or by someone else's decision. */
  record(key: string, now = performance.now()): void {
    const log = this.#logs.get(key) ?? this.#add(key, now);
    log.times[log.next] = now;
    log.next = (log.next + 1) % log.times.length;
    log.last = now;
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#logs.size;
  }

  #add(key: string, now: number): Log {
    if (++this.#addedSinceSweep >= SWEEP_EVERY) this.#sweep(now);
    const log = { times: new Float64Array(this.#policy.limit).fill(Number.NEGATIVE_INFINITY), next: 0, last: now };
    this.#logs.set(key, log);
    return log;
  }

  #sweep(now: number): void {
    this.#addedSinceSweep = 0;
    for (const [key, log] of this.#logs) if (log.last <= now - this.#policy.windowMs) this.#logs.delete(key);
  }
}

/** The times that still count at `now`, oldest first. */
function countedTimes({ times, next }: Log, windowMs: number, now: number): number[] {
  return [...times.subarray(next), ...times.subarray(0, next)].filter((time) => now - time < windowMs);
}
