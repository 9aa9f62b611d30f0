import { inTime, withWaitingTime } from "@/lib/process/request-context.mjs";

/** The most keys in one statement. Further keys go into another statement. */
const MOST = 100;

type Waiting<Key, Row> = { key: Key; resolve(row: Row | undefined): void; reject(error: unknown): void };

/**
 * Batches look-ups of the same turn of the event loop into one statement. Under load many requests arrive together, and
 * one statement for all of them costs little more than a statement for one. At most `atOnce` statements run at a time, and
 * later look-ups wait for the next batch. Nothing is cached: every result is read after its look-up was made. A batch has
 * a waiting time of its own, and each look-up waits for it as long as its request may. `ask` must return its results in
 * the order of the keys.
 */
export function batched<Key, Row>(
  ask: (keys: readonly Key[]) => Promise<readonly (Row | undefined)[]>,
  atOnce: number,
): (key: Key) => Promise<Row | undefined> {
  let waiting: Waiting<Key, Row>[] = [];
  let running = 0;

  function askForAll(): void {
    while (waiting.length > 0 && running < atOnce) {
      const batch = waiting.slice(0, MOST);
      waiting = waiting.slice(MOST);
      void answer(batch);
    }
  }

  async function answer(batch: readonly Waiting<Key, Row>[]): Promise<void> {
    running++;
    try {
      const rows = await withWaitingTime(() => ask(batch.map(({ key }) => key)));
      for (const [index, { resolve }] of batch.entries()) resolve(rows[index]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      running--;
      askForAll();
    }
  }

  return (key) =>
    inTime(
      () =>
        new Promise((resolve, reject) => {
          // After everything that has arrived by now is read.
          if (waiting.length === 0 && running < atOnce) setImmediate(askForAll);
          waiting.push({ key, resolve, reject });
        }),
    );
}
