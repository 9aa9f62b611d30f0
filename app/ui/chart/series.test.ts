import { expect, test } from "vitest";
import { heardShare } from "./series";

test("the heard share counts recorded time alone and is unknown without any", () => {
  const silences = [
    { from: 10, to: 20 },
    { from: 50, to: 90 },
  ];
  expect(heardShare({ silences, since: 0 }, 0, 40)).toBe(0.75);
  expect(heardShare({ silences, since: 0 }, 60, 80)).toBe(0);
  expect(heardShare({ silences, since: 15 }, 0, 25)).toBe(0.5);
  expect(heardShare({ silences, since: 40 }, 0, 40)).toBeNull();
  expect(heardShare({ silences, since: null }, 0, 40)).toBeNull();
});
