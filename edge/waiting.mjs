import { setTimeout as wait } from "node:timers/promises";
import { PINGS_AT_ONCE } from "./limits.mjs";

/**
 * Does a task for each item, a few at a time.
 * @template Item
 * @param {readonly Item[]} items
 * @param {(item: Item) => Promise<void>} task
 */
export async function inTurns(items, task) {
  let next = 0;
  const work = async () => {
    while (next < items.length) await task(/** @type {Item} */ (items[next++]));
  };
  await Promise.all(Array.from({ length: PINGS_AT_ONCE }, work));
}

/**
 * Waits so long, or until the signal.
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export const sleep = (milliseconds, signal) => wait(milliseconds, undefined, { signal }).catch(() => {});
