import { expect, test } from "vitest";
import { type Bands, bandsOf, merge, parseBands, serializeBands } from "./bands";

const together = (values: readonly (number | null)[]) =>
  values.map((cpuPct) => bandsOf({ cpuPct })).reduce<Bands>((sum, bands) => merge(sum, bands), {});

test("bands taken together in any grouping are the least, the mean and the greatest of all samples that have a value", () => {
  const values = [40, null, 3, 99, 0, null, 17.5];
  const whole = together(values).cpuPct;
  expect(whole).toEqual({ least: 0, mean: (40 + 3 + 99 + 0 + 17.5) / 5, greatest: 99, count: 5 });
  for (let cut = 0; cut <= values.length; cut++) {
    const { mean, ...rest } = merge(together(values.slice(0, cut)), together(values.slice(cut))).cpuPct ?? {};
    expect(rest).toEqual({ least: 0, greatest: 99, count: 5 });
    expect(mean).toBeCloseTo(whole?.mean ?? Number.NaN, 9);
  }
  expect(together([null, null])).toEqual({});
});

test("what is kept is read back, and a column that is no such record is an hour of which nothing is known", () => {
  const bands = merge(bandsOf({ score: 800, memUsedPct: 12.5 }), bandsOf({ score: 901 }));
  expect(parseBands(JSON.parse(JSON.stringify(serializeBands(bands))))).toEqual(bands);
  for (const column of [null, 7, "x", [], { score: [1, 2, 3] }, { score: [1, 2, 3, 0] }, { other: [1, 2, 3, 4] }]) {
    expect(parseBands(column)).toEqual({});
  }
});
