import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { projectFiles } from "@/e2e/support/project-files";

test("each section that a comment or a test cites is one of the contract", () => {
  const contract = readFileSync("docs/contract.md", "utf8");
  const sections = new Set([
    ...[...contract.matchAll(/^## (\d)\. /gm)].map(([, number]) => number),
    ...[...contract.matchAll(/^\*\*(\d\.\d) /gm)].map(([, number]) => number),
    ...["4", "5"].flatMap((section) => rulesOf(contract, section).map((rule) => `${section}.${rule}`)),
  ]);
  expect([...sections]).toEqual(expect.arrayContaining(["2", "2.5", "4.8", "5.7", "9"]));
  const lines = projectFiles()
    .filter((file) => !file.startsWith("docs/contract") && !file.endsWith(".png"))
    .flatMap((file) => {
      const cited = readFileSync(file, "utf8").matchAll(/\b(?:contract|spec) \d(?:\.\d|, rule \d)?/g);
      return [...cited].map(([text]) => `${file}: ${text}`);
    });
  expect(lines.length).toBeGreaterThan(30);
  const unknown = lines.filter((line) => {
    const [, section = "", rule] = / (\d(?:\.\d)?)(?:, rule (\d))?$/.exec(line) ?? [];
    return !sections.has(rule ? `${section}.${rule}` : section);
  });
  expect(unknown).toEqual([]);
});

/** The numbers of the rules that a section lists. */
function rulesOf(contract: string, section: string): string[] {
  const [, text = ""] = contract.split(`## ${section}. `);
  return [...(text.split("\n## ")[0] ?? "").matchAll(/^(\d)\. /gm)].map(([, rule]) => rule ?? "");
}
