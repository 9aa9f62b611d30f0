import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { mapInTurns } from "./turns";

test("long work keeps its order and lets waiting tasks run before its end", async () => {
  const items = Array.from({ length: 20 }, (_, n) => n);
  let done = 0;
  const work = mapInTurns(items, (item) => {
    // Longer than a part of a turn may be.
    for (const start = performance.now(); performance.now() - start < 6; );
    done++;
    return item * 2;
  });
  await nextTurn();
  expect(done).toBeLessThan(items.length);
  expect(await work).toEqual(items.map((item) => item * 2));
});
