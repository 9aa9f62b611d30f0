import { expect, test } from "vitest";
import { Line } from "./line";

test("never more than the agreed number run at once, all of them run in order, and a failure gives its place away", async () => {
  const line = new Line(2);
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      line.run(async () => {
        begun.push(index);
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
        if (index % 3 === 0) throw new Error("failed");
        return index;
      }),
    ),
  );
  expect(most).toBe(2);
  expect(begun).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(outcomes.map(({ status }) => status)).toEqual(
    begun.map((index) => (index % 3 === 0 ? "rejected" : "fulfilled")),
  );
  await expect(line.run(async () => "later")).resolves.toBe("later");
});
