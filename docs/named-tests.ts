import { readFileSync } from "node:fs";
import { expect } from "vitest";

/** Expects that what a row says it is shown by names tests that exist, each title behind the file that has it. */
export function expectNamedTests(shownBy: string): void {
  const named = [...shownBy.matchAll(/`([\w./-]+\.(?:spec|test)\.ts)`: ((?:"[^"]+"(?:; |, )?)+)/g)];
  expect(named).not.toEqual([]);
  for (const [, file = "", titles = ""] of named) {
    const source = readFileSync(file, "utf8");
    for (const [, title = ""] of titles.matchAll(/"([^"]+)"/g)) expect(source, file).toContain(title);
  }
  // No title is left over without a file in front of it.
  const quoted = shownBy.match(/"[^"]+"/g) ?? [];
  expect(named.flatMap(([, , titles = ""]) => titles.match(/"[^"]+"/g) ?? [])).toHaveLength(quoted.length);
}
