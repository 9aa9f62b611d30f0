/** More go into a further statement, so that none grows without bound. */
const MOST = 100;

type Asked<Key, Row> = { key: Key; resolve(row: Row | undefined): void; reject(error: unknown): void };

/**
 * A question that is put to the database once for all who ask it in the same turn of the event loop: under load many
 * requests arrive together, and one statement for them costs little more than a statement each. Whoever is alone waits
 * for nobody, and nothing is remembered: every answer was read after its question. `ask` answers in the order of the keys.
 */
export function together<Key, Row>(
  ask: (keys: readonly Key[]) => Promise<readonly (Row | undefined)[]>,
): (key: Key) => Promise<Row | undefined> {
  let waiting: Asked<Key, Row>[] = [];

  function askForAll(): void {
    const all = waiting;
    waiting = [];
    for (let start = 0; start < all.length; start += MOST) void answer(all.slice(start, start + MOST));
  }

  async function answer(asked: readonly Asked<Key, Row>[]): Promise<void> {
    try {
      const rows = await ask(asked.map(({ key }) => key));
      for (const [index, { resolve }] of asked.entries()) resolve(rows[index]);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      // After whatever else has arrived by now was read.
      if (waiting.length === 0) setImmediate(askForAll);
      waiting.push({ key, resolve, reject });
    });
}
