import { expect, test } from "vitest";
import {
  counted,
  decimal,
  megabytes,
  megabytesOf,
  percent,
  quantity,
  scaleBase,
  scaleTexts,
  unbroken,
} from "./quantities";

test.each([
  [0, "0"],
  [0.4321, "0.43"],
  [0.004, "< 0.01"],
  [0.999, "1"],
  [1.06, "1.1"],
  [10.891128211561771, "10.9"],
  [22.63, "22.6"],
  [30, "30"],
  [99.96, "99.9"],
  [5597.19, "5,597"],
  [-2.64, "-2.6"],
])("%d is written %s", (value, text) => expect(decimal(value)).toBe(text));

test.each([
  [10.891128211561771, "10.9 %"],
  [22.63, "22.6 %"],
  [99.97, "99.9 %"],
  [100, "100 %"],
  [0, "0 %"],
])("%d percent is written %s: all only when it is all", (value, text) => expect(percent(value)).toBe(text));

test.each([
  [512, "512 MiB"],
  [1023.6, "1 GiB"],
  [5597.19, "5.5 GiB"],
  [2_000_000, "1.9 TiB"],
])("%d megabytes are written %s", (value, text) => expect(megabytes(value)).toBe(text));

test("a part and its whole share the unit of the whole", () => {
  expect(megabytesOf(5597.19, 24_031)).toBe("5.5 of 23.5 GiB");
  expect(megabytesOf(100, 512)).toBe("100 of 512 MiB");
  expect(megabytesOf(12, 24_031)).toBe("0.01 of 23.5 GiB");
});

test("every unit has its words", () => {
  expect(quantity(941.6, "points")).toBe("942");
  expect(quantity(3_400_000, "bytes")).toBe("3.4 MB");
  expect([999, 999.6, 1_750_000_000].map((value) => quantity(value, "bytes"))).toEqual(["999 B", "1 kB", "1.8 GB"]);
  expect(quantity(12.345, "milliseconds")).toBe("12.3 ms");
  const number = (value: number) => quantity(value, "number");
  expect([1234.5, 999_499].map(number)).toEqual(["1,235", "999,499"]);
  expect([999_500, 28_457_266, 1_592_799_316].map(number)).toEqual(["1 M", "28.5 M", "1,593 M"]);
  expect([counted(1, "server"), counted(1204, "server")]).toEqual(["1 server", "1,204 servers"]);
  expect(counted(2, "process", "processes")).toBe("2 processes");
});

test("a scale's numbers are round in the unit that they are written in", () => {
  for (const [top, unit, texts] of [
    [2.2e9, "bytes", ["1 B", "2 B"]],
    [700, "bytes", ["1 B", "2 B"]],
    [30_000, "megabytes", ["1 GiB", "2 GiB"]],
    [30_000, "number", ["1", "2"]],
  ] as const) {
    const base = scaleBase(top, unit);
    expect([quantity(base, unit), quantity(2 * base, unit)]).toEqual(texts);
  }
});

test("the numbers of one scale share the unit of the greatest", () => {
  expect(scaleTexts([0, 400_000, 800_000, 1_200_000], "number")).toEqual(["0", "0.4 M", "0.8 M", "1.2 M"]);
  expect(scaleTexts([0, 500, 1000], "number")).toEqual(["0", "500", "1,000"]);
  expect(scaleTexts([0, 50], "percent")).toEqual(["0 %", "50 %"]);
});

test("a line never ends between a number and its unit", () => {
  expect(unbroken("91.3 % used (full score up to 70 %), 5.5 GiB of 16 GB, 2 kB, 12 ms")).toBe(
    "91.3\u00a0% used (full score up to 70\u00a0%), 5.5\u00a0GiB of 16\u00a0GB, 2\u00a0kB, 12\u00a0ms",
  );
  expect(unbroken("8 processes killed in 24 hours, 2 MBit")).toBe("8 processes killed in 24 hours, 2 MBit");
});
