import { expect, test } from "vitest";
import { NotFoundError } from "@/lib/failures";
import { findId, parseId } from "./ids";

test("canonical decimal within the column's range is an id", () => {
  for (const read of [findId, parseId]) expect(["1", "42", "2147483647"].map(read)).toEqual([1, 42, 2147483647]);
});

test.each([
  "",
  "0",
  "-1",
  "+1",
  "01",
  "1.0",
  "1e3",
  "0x10",
  " 1",
  "1 ",
  "1\n",
  "2147483648",
  "9".repeat(30),
  "١",
  "１",
  "NaN",
])("%j is not found", (text) => {
  expect(findId(text)).toBeNull();
  expect(() => parseId(text)).toThrow(NotFoundError);
});
