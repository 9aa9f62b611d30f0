import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { expectNamedTests } from "./named-tests";

const rows = readFileSync("docs/security-checks.md", "utf8")
  .split("\n")
  .flatMap((line) => {
    const [, number, , shownBy] = /^\| (\d+) \| (.+?) \| (.+) \|$/.exec(line) ?? [];
    return number && shownBy ? [{ number: Number(number), shownBy }] : [];
  });

test("the checks are numbered in order, each once and without a gap", () => {
  expect(rows.length).toBeGreaterThanOrEqual(45);
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
});

test.each(rows)("every test that check $number names exists", ({ shownBy }) => {
  expectNamedTests(shownBy);
});
