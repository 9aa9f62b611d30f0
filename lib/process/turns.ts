import { perProcess } from "@/lib/process/per-process.mjs";

/** The most of a turn of the event loop that long work takes at a time, in milliseconds. */
const PART_MS = 5;

/** Those that wait for a turn, the next one first. */
const waiting = perProcess("turns", (): (() => void)[] => []);

/**
 * Waits for a turn of the event loop. Long work of all requests shares these: one goes on in each, however many there
 * are, so a short request between them waits for one part of one of them.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
}

/** Maps items in as many turns of the event loop as it takes, so that long work does not delay other requests. */
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
