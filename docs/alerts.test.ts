import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const text = readFileSync("docs/alerts.md", "utf8");

test("docs/alerts.md gives meaning, checks and remedy of each shipped alert in order, no other", () => {
  const rules = readFileSync("public/recipes/prometheus/operations-rules.yml", "utf8");
  const shipped = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  expect(shipped.length).toBeGreaterThan(10);
  const rows = [...text.matchAll(/^\| (Console\w+) \| (.+) \| (.+) \| (.+) \|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(shipped);
  for (const [line, , ...cells] of rows) {
    expect(cells, line).toHaveLength(3);
    for (const cell of cells) expect(cell.split(" ").length, line).toBeGreaterThan(1);
  }
  for (const [name] of text.matchAll(/\bConsole[A-Z]\w+/g)) expect(shipped).toContain(name);
});
