import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

test("the README has fewer than 1,600 words", () => {
  expect(readFileSync("README.md", "utf8").split(/\s+/).length).toBeLessThan(1600);
});

test.each(documents)("%s is shorter than 200 lines, and its links within the project lead somewhere", (file) => {
  const text = readFileSync(file, "utf8");
  expect(text.split("\n").length).toBeLessThan(200);
  const targets = [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)].map(([, target = ""]) => target);
  expect(targets.filter((target) => !existsSync(join(dirname(file), target)))).toEqual([]);
});

test("every file that the architecture and the decisions name is there", () => {
  const named = documents
    .filter((file) => /architecture|decisions|CONTRIBUTING/.test(file))
    .flatMap((file) => [
      ...readFileSync(file, "utf8").matchAll(
        /`((?:app|lib|server|scripts|prisma|e2e|public|docs)\/[\w./[\]-]+\.(?:tsx?|mjs|md|prisma|sh))`/g,
      ),
    ])
    .map(([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

test("installing the tests reports nothing: Swagger UI's counter of installations is switched off", () => {
  const { scarfSettings } = JSON.parse(readFileSync("package.json", "utf8")) as { scarfSettings?: unknown };
  expect(scarfSettings).toEqual({ enabled: false });
});
