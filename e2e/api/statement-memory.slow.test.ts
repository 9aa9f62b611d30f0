import { getHeapSpaceStatistics } from "node:v8";
import { expect, test } from "vitest";
import { median } from "@/bench/rounds";
import { query } from "@/lib/database/run-statement";

test("the result of a statement is not kept once it is read", async () => {
  const grownBy = async (times: number) => {
    const before = oldSpace();
    for (let count = 0; count < times; count++) await query(LONG_TEXT, {});
    return (oldSpace() - before) / times;
  };
  await grownBy(100);
  // The text of each is 50 KB, and would be kept until a full collection. The collector's moments move a single round.
  const grown = [await grownBy(300), await grownBy(300), await grownBy(300)];
  expect(median(grown)).toBeLessThan(20_000);
});

const LONG_TEXT = { text: "select repeat('x', 50000) as text", names: [] };

function oldSpace(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === "old_space")?.space_used_size ?? Number.NaN;
}
