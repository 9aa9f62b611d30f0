// Limits restarts. The supervisor of the server and the parent of the workers use the same rule.

/** After this many deaths within a minute nothing is restarted, because it would crash for ever. */
export const MAX_DEATHS = 5;
const WINDOW_MS = 60_000;

/** The deaths of the last minute, on the clock that never jumps. */
export class Deaths {
  /** @type {number[]} */
  #times = [];

  /**
   * Records a death. True when the limit is reached, so that the caller must not restart.
   * @param {number} now in milliseconds
   */
  isLast(now = performance.now()) {
    this.#times.push(now);
    while ((this.#times[0] ?? now) <= now - WINDOW_MS) this.#times.shift();
    return this.#times.length >= MAX_DEATHS;
  }
}
