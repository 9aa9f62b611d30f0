// When to stop starting what dies: the supervisor of the server and the parent of its workers decide alike.

/** The fifth death within a minute is the last one: more would follow for ever. */
export const MAX_DEATHS = 5;
const WINDOW_MS = 60_000;

/** The deaths of the last minute, on the clock that never jumps. */
export class Deaths {
  /** @type {number[]} */
  #times = [];

  /**
   * Records a death. True when it is one too many, so that another start would change nothing.
   * @param {number} now in milliseconds
   */
  isLast(now = performance.now()) {
    this.#times.push(now);
    while ((this.#times[0] ?? now) <= now - WINDOW_MS) this.#times.shift();
    return this.#times.length >= MAX_DEATHS;
  }
}
