import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { setUpLines } from "@/app/dashboard/edge-nodes/set-up-lines";

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

test("every command of npm that a document names stands in package.json", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  const named = [...documents, "SECURITY.md", "bench/README.md"]
    .filter((file) => !/CHANGELOG|upgrade|0012/.test(file))
    .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/`npm(?: run)?\s+([\w:]+)|^npm(?: run)? ([\w:]+)/gm)])
    .map(([, inText, inBlock]) => inText ?? inBlock ?? "")
    .filter((name) => !["ci", "audit"].includes(name));
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test("each decision says its status, and is at most 60 lines", () => {
  for (const file of documents.filter((name) => name.startsWith("docs/decisions/"))) {
    const text = readFileSync(file, "utf8");
    expect(text, file).toMatch(/^# .+\n\nStatus: (?:accepted|withdrawn), \d+ \w+ 20\d\d/);
    expect(text.split("\n").length, file).toBeLessThanOrEqual(60);
  }
});

test("docs/edge.md sets up an edge node by the lines that its page shows", () => {
  const { prepare, start } = setUpLines("https://console.example.com");
  expect(readFileSync("docs/edge.md", "utf8")).toContain(`\`\`\`sh\n${prepare}\n${start}\n\`\`\`\n`);
});
