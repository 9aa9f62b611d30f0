import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { batched } from "./batched";

/** Knows the square of every number but 13; `batches` are the statements that it took. */
function squares() {
  const batches: (readonly number[])[] = [];
  const find = batched(async (keys: readonly number[]) => {
    batches.push(keys);
    if (keys.includes(666)) throw new Error("no answer");
    return keys.map((key) => (key === 13 ? undefined : key * key));
  }, 2);
  return { batches, find };
}

test("questions of one turn share one statement, and each gets its own answer", async () => {
  const { batches, find } = squares();
  expect(await Promise.all([3, 13, 4, 3].map(find))).toEqual([9, undefined, 16, 9]);
  expect(batches).toEqual([[3, 13, 4, 3]]);
});

test("nothing is cached, so a later question gets a new statement", async () => {
  const { batches, find } = squares();
  const first = find(3);
  await setImmediate();
  await Promise.all([first, find(3)]);
  await find(3);
  expect(batches).toEqual([[3], [3], [3]]);
});

test("a failure reaches all who were asked for together, and nobody else", async () => {
  const { find } = squares();
  const together = Promise.allSettled([666, 1].map(find));
  await setImmediate();
  expect(await find(2)).toBe(4);
  expect((await together).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

test("at most two statements run at once, and further questions gather meanwhile", async () => {
  let running = 0;
  let most = 0;
  const batches: number[] = [];
  const find = batched(async (keys: readonly number[]) => {
    batches.push(keys.length);
    most = Math.max(most, ++running);
    await setImmediate();
    await setImmediate();
    running--;
    return keys;
  }, 2);
  const answers: Promise<number | undefined>[] = [];
  for (let key = 0; key < 50; key++) {
    answers.push(find(key));
    if (key % 5 === 0) await setImmediate();
  }
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 50 }, (_, key) => key));
  expect(most).toBe(2);
  expect(batches.length).toBeLessThan(25);
});
