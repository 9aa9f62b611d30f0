import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

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
  const named = [...shownBy.matchAll(/`([\w./-]+\.(?:spec|test)\.ts)`: ((?:"[^"]+"(?:; |, )?)+)/g)];
  expect(named).not.toEqual([]);
  for (const [, file = "", titles = ""] of named) {
    const source = readFileSync(file, "utf8");
    for (const [, title = ""] of titles.matchAll(/"([^"]+)"/g)) expect(source, file).toContain(title);
  }
  // No title is left over without a file in front of it.
  const quoted = shownBy.match(/"[^"]+"/g) ?? [];
  expect(named.flatMap(([, , titles = ""]) => titles.match(/"[^"]+"/g) ?? [])).toHaveLength(quoted.length);
});
