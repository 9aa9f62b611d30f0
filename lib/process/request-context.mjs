// What an answer is made for: whether its client is still there, and how long it may still wait. The server knows the
// client, and lib/ asks: long work for a client that has left stops.
import { AsyncLocalStorage } from "node:async_hooks";
import { shared } from "./shared-with-server.mjs";

const requests = shared("requests", () => new AsyncLocalStorage());

/**
 * In milliseconds: how long a request waits in all, for places, connections, statements and the store of the limit. What
 * it waits for at the same time counts once; what it computes or receives meanwhile does not count. Tests of other things
 * set the variable: a busy machine may take longer, and that is no failure of what they test.
 */
export const LONGEST_WAIT = Number(process.env.CONSOLE_LONGEST_WAIT) || 3000;

/** Timers of a few different lengths are cheaper than those of any length. In milliseconds. */
const TIMER_STEP = 100;

/** How long a request may still wait. */
class WaitingTime {
  #left;
  #waits = 0;
  #since = 0;

  /** @param {number} ms */
  constructor(ms) {
    this.#left = ms;
  }

  /** In milliseconds, rounded up for a timer; 0 when the time is over. A timer may end up to a millisecond early. */
  get left() {
    const left = this.#left - (this.#waits > 0 ? performance.now() - this.#since : 0);
    return left < 1 ? 0 : Math.ceil(left / TIMER_STEP) * TIMER_STEP;
  }

  /** Counts from now on until `end` was called as often. */
  begin() {
    if (this.#waits++ === 0) this.#since = performance.now();
  }

  end() {
    if (--this.#waits === 0) this.#left -= performance.now() - this.#since;
  }

  /** Leaves no time: the database has failed the request, so nothing is worth waiting for. */
  giveUp() {
    this.#left = 0;
  }
}

/** A request has waited for as long as it may. */
export class TimeUpError extends Error {
  /** @override */
  name = "TimeUpError";
  code = "ETIMEDOUT";
  constructor() {
    super("The time to wait for an answer is over.");
  }
}

/**
 * Runs a task that may wait for `ms` in all: a request, or what several requests share.
 * @template Result
 * @param {() => Result} task
 * @param {number} [ms]
 * @returns {Result}
 */
export function withWaitingTime(task, ms = LONGEST_WAIT) {
  return requests.run({ ...requests.getStore(), time: new WaitingTime(ms) }, task);
}

/** The time of the request that this work is for; undefined when it is for none. */
export function waitingTime() {
  return requests.getStore()?.time;
}

/**
 * Waits for as long as the request that this work is for may still wait.
 * @template Result
 * @param {() => Promise<Result>} ask
 * @returns {Promise<Result>}
 * @throws {TimeUpError} and what `ask` throws
 */
export async function inTime(ask) {
  const time = waitingTime();
  if (!time) return ask();
  const ms = time.left;
  if (ms === 0) throw new TimeUpError();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  time.begin();
  try {
    const timeUp = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new TimeUpError()), ms);
    });
    return await Promise.race([ask(), /** @type {Promise<never>} */ (timeUp)]);
  } finally {
    clearTimeout(timer);
    time.end();
  }
}

/**
 * Runs a task for a client. The signal says that it has left.
 * @template Result
 * @param {AbortSignal} signal
 * @param {() => Result} task
 * @returns {Result}
 */
export function forClient(signal, task) {
  return requests.run({ ...requests.getStore(), signal }, task);
}

/**
 * Runs a task that goes on when the client has left, for as long as it takes.
 * @template Result
 * @param {() => Result} task
 * @returns {Result}
 */
export function withoutClient(task) {
  return requests.exit(task);
}

/** Whether the client that this work is for has left. */
export function hasClientLeft() {
  return requests.getStore()?.signal?.aborted === true;
}
