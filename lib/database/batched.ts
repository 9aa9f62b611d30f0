import DataLoader from "dataloader";
import { inTime } from "@/lib/process/in-time";

/** The most keys in one statement. Further keys go into another statement. */
const MOST = 100;

/**
 * Batches look-ups of the same turn of the event loop into one statement. Under load many requests arrive together, and
 * one statement for all of them costs little more than a statement for one. At most `atOnce` statements run at a time, and
 * later look-ups wait for the next batch. Nothing is cached: every result is read after its look-up was made. A look-up
 * waits for `LONGEST_WAIT` at most. `ask` must return each result at
 * the place of its key.
 */
export function batched<Key, Row>(
  ask: (keys: readonly Key[]) => Promise<readonly (Row | undefined)[]>,
  atOnce: number,
): (key: Key) => Promise<Row | undefined> {
  const due: (() => void)[] = [];
  let running = 0;

  const loader = new DataLoader<Key, Row | undefined>(
    async (keys) => {
      try {
        const rows = await ask(keys);
        // DataLoader wants one result for each key: where the last ones are not found, `ask` answers fewer.
        return keys.map((_, index) => rows[index]);
      } finally {
        running--;
        startDue();
      }
    },
    {
      cache: false,
      maxBatchSize: MOST,
      batchScheduleFn(start) {
        due.push(start);
        // After everything that has arrived by now is read.
        setImmediate(startDue);
      },
    },
  );

  function startDue(): void {
    while (running < atOnce && due.length > 0) {
      running++;
      due.shift()?.();
    }
  }

  return (key) => inTime(() => loader.load(key));
}
