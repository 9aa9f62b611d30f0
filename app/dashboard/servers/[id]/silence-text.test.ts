import { expect, test } from "vitest";
import { silentSince } from "./silence-text";

test("a silence that goes on began with the first of the events that follow each other, and one that has ended goes on no more", () => {
  const earlier = { from: 100, to: 200 };
  expect(silentSince([earlier, { from: 300, to: 400 }, { from: 400, to: 450 }, { from: 450, to: null }])).toBe(300);
  expect(silentSince([earlier, { from: 300, to: null }])).toBe(300);
  expect(silentSince([earlier, { from: 200, to: 400 }])).toBeNull();
  expect(silentSince([])).toBeNull();
});
