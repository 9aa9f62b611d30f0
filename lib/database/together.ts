/** More go into a further statement, so that none grows without bound. */
const MOST = 100;

type Asked<Key, Row> = { key: Key; resolve(row: Row | undefined): void; reject(error: unknown): void };

/**
 * A question that is put to the database once for all who ask it in the same turn of the event loop: under load many
 * requests arrive together, and one statement for all of them costs little more than one for each. At most `atOnce`
 * statements run at a time; later questions gather until one is done. Nothing is remembered: every answer was read after
 * its question. `ask` answers in the order of the keys.
 */
export function together<Key, Row>(
  ask: (keys: readonly Key[]) => Promise<readonly (Row | undefined)[]>,
  atOnce: number,
): (key: Key) => Promise<Row | undefined> {
  let waiting: Asked<Key, Row>[] = [];
  let running = 0;

  function askForAll(): void {
    while (waiting.length > 0 && running < atOnce) {
      const asked = waiting.slice(0, MOST);
      waiting = waiting.slice(MOST);
      void answer(asked);
    }
  }

  async function answer(asked: readonly Asked<Key, Row>[]): Promise<void> {
    running++;
    try {
      const rows = await ask(asked.map(({ key }) => key));
      for (const [index, { resolve }] of asked.entries()) resolve(rows[index]);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    } finally {
      running--;
      askForAll();
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      // After everything that has arrived by now is read.
      if (waiting.length === 0 && running < atOnce) setImmediate(askForAll);
      waiting.push({ key, resolve, reject });
    });
}
