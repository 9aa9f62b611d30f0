import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { expectNamedTests } from "./named-tests";

/** The words of a text, without what only Markdown reads. */
const plain = (text: string) =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[`*|]/g, " ")
    .replace(/^\s*(?:-|\d+\.) /, "")
    .replace(/\s+/g, " ")
    .trim();

/** The sentences of a page, in their order; of a table each row is one. Titles and code are none. */
function sentencesOf(page: string): string[] {
  const blocks = page
    .replace(/```[\s\S]*?```/g, "\n")
    .replace(/^#.*$/gm, "\n")
    .split(/\n\s*\n|\n(?=(?:-|\d+\.) )/)
    .map((block) => block.trim())
    .filter(Boolean);
  return blocks.flatMap((block) => {
    const rows = block.split("\n");
    if (block.startsWith("|")) return rows.slice(2).map(plain);
    return block
      .replace(/^\d+\. /, "")
      .replace(/\s+/g, " ")
      .split(/(?<=[.?!]\)?(?:\*\*)?) (?=[A-Z([`*]|journald)/)
      .map(plain);
  });
}

/** The page for operators, and those that its sections grew into. */
const PAGES = ["operations.md", "install.md", "upgrade.md", "backup.md", "alerts.md"];
const sentences = PAGES.flatMap((page) => sentencesOf(readFileSync(`docs/${page}`, "utf8")));
const rows = ["operations-checks.md", "operations-pages-checks.md"]
  .flatMap((page) => readFileSync(`docs/${page}`, "utf8").split("\n"))
  .flatMap((line) => {
    const [, begins, shownBy] = /^\| (.+?) … \| (.+) \|$/.exec(line) ?? [];
    return begins && shownBy ? [{ begins, shownBy }] : [];
  });

test("each sentence of the pages for operators has its row, in the same order, and no row is of a sentence that is gone", () => {
  expect(sentences.length).toBeGreaterThan(150);
  const cut = sentences.map((sentence, index) => sentence.slice(0, rows[index]?.begins.length ?? 60));
  expect(rows.map(({ begins }) => begins)).toEqual(cut);
});

test.each(rows)("$begins … is shown by tests that exist, or says why it needs none", ({ shownBy }) => {
  if (/^(?:advice|a link|measured|no test): ?/.test(`${shownBy}: `)) return;
  expectNamedTests(shownBy);
});
