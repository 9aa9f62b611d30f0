import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

type Row = { table: string; bound: string; shownBy: string };

const [ofTables = "", ofBodies = ""] = readFileSync("docs/limits.md", "utf8").split("\n## ");
const rows = ofTables.split("\n").flatMap((line): Row[] => {
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

/** What each row about bodies names as shown by. */
const shownOfBodies = [...ofBodies.matchAll(/^\| (its .+?) \| .+ \| (.+) \|$/gm)].map(
  ([, what = "", shownBy = ""]) => ({
    what,
    shownBy,
  }),
);

test("every row about bodies is looked at", () => {
  expect(shownOfBodies.length).toBe(ofBodies.split("\n| its ").length - 1);
  expect(shownOfBodies.length).toBeGreaterThan(8);
});

/** What the tests of a file are called: the string with which a call of `test`, or of what `test.each` returns, begins. */
function titlesOf(source: string): string[] {
  return [...source.matchAll(/^ *(?:test\(|test\.each\([\s\S]*?\)\()\s*(["`])(.+?)\1,/gm)].map(
    ([, , title = ""]) => title,
  );
}

test.each(rows)("the tests that reach the bound of $table exist", expectThatTestsExist);
test.each(shownOfBodies)("the tests that show what holds for a body, $what, exist", expectThatTestsExist);

function expectThatTestsExist({ shownBy }: { shownBy: string }): void {
  const named = [...shownBy.matchAll(/`([\w./-]+\.(?:spec|test)\.ts)`: ((?:"[^"]+"(?:; |, )?)+)/g)];
  expect(named).not.toEqual([]);
  for (const [, file = "", parts = ""] of named) {
    const titles = titlesOf(readFileSync(file, "utf8")).join("\n");
    for (const [, part = ""] of parts.matchAll(/"([^"]+)"/g)) expect(titles, file).toContain(part);
  }
}
