import { setImmediate as nextTurn } from "node:timers/promises";

/** The most of a turn of the event loop that long work takes at a time, in milliseconds. */
const PART_MS = 5;

/** Maps items in as many turns of the event loop as it takes, so that long work holds up nobody else's request. */
export async function mapInTurns<Item, Result>(items: readonly Item[], map: (item: Item) => Result): Promise<Result[]> {
  const results: Result[] = [];
  let start = performance.now();
  for (const item of items) {
    results.push(map(item));
    if (performance.now() - start < PART_MS) continue;
    await nextTurn();
    start = performance.now();
  }
  return results;
}
