import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

type Row = { table: string; bound: string; shownBy: string };

const rows = readFileSync("docs/limits.md", "utf8")
  .split("\n")
  .flatMap((line): Row[] => {
    const [, table, bound, shownBy] = /^\| (\w+) \| .+? \| (.+?) \| (.+) \|$/.exec(line) ?? [];
    return table && table !== "table" && bound && shownBy ? [{ table, bound, shownBy }] : [];
  });

/** The tables of the schema: what each model is mapped to. */
function tablesOf(schema: string): string[] {
  return [...schema.matchAll(/^model \w+ \{.*?^ {2}@@map\("(\w+)"\)/gms)].map(([, name = ""]) => name);
}

test("every table of the schema has a row that says what bounds it, and no row is of a table that is gone", () => {
  const tables = tablesOf(readFileSync("prisma/schema.prisma", "utf8"));
  expect(tables.length).toBeGreaterThan(15);
  expect(rows.map(({ table }) => table).toSorted()).toEqual(tables.toSorted());
});

test.each(rows)("the tests that reach the bound of $table exist", ({ shownBy }) => {
  const named = [...shownBy.matchAll(/`([\w./-]+\.(?:spec|test)\.ts)`: ((?:"[^"]+"(?:; |, )?)+)/g)];
  expect(named).not.toEqual([]);
  for (const [, file = "", titles = ""] of named) {
    for (const [, title = ""] of titles.matchAll(/"([^"]+)"/g))
      expect(readFileSync(file, "utf8"), file).toContain(title);
  }
});
