import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const [ofTables = ""] = readFileSync("docs/limits.md", "utf8").split("\n## ");
const bounded = [...ofTables.matchAll(/^\| (\w+) \| .+ \| .+ \|$/gm)].map(([, table = ""]) => table).slice(1);

/** The tables of the schema: what each model is mapped to. */
function tablesOf(schema: string): string[] {
  return [...schema.matchAll(/^model \w+ \{.*?^ {2}@@map\("(\w+)"\)/gms)].map(([, name = ""]) => name);
}

test("every schema table has a row with its bound, and no row is stale", () => {
  const tables = tablesOf(readFileSync("prisma/schema.prisma", "utf8"));
  expect(tables.length).toBeGreaterThan(15);
  expect(bounded.toSorted()).toEqual(tables.toSorted());
});
