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

test("of long works at once, one goes on in each turn", async () => {
  const parts: number[] = [];
  const works = Array.from({ length: 6 }, (_, work) =>
    mapInTurns([1, 2, 3], () => {
      for (const start = performance.now(); performance.now() - start < 6; );
      parts.push(work);
    }),
  );
  let isOver = false;
  const turns: number[] = [];
  const watch = (async () => {
    while (!isOver) {
      const before = parts.length;
      await nextTurn();
      turns.push(parts.length - before);
    }
  })();
  await Promise.all(works);
  isOver = true;
  await watch;
  // Each begins at once.
  expect(parts.slice(0, 6)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(Math.max(...turns)).toBe(1);
});
