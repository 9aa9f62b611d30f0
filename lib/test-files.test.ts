import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { projectFiles } from "@/e2e/support/project-files";

const MOST_LINES = 300;
const MOST_WORDS = 14;
/** A title as the source has it. Of a test with rows it comes after them. */
const TITLE = /\b(?:test|it)(?:\.\w+)?(?:\([^()]*\)|\(\[[\s\S]*?\]\))?\(\s*(["`])((?:\\.|(?!\1)[\s\S])*)\1/g;
const files = projectFiles().filter((file) => /\.(?:spec|test)\.tsx?$/.test(file));
const linesOf = (file: string) => readFileSync(file, "utf8").split("\n").length - 1;

test("a file of tests has at most 300 lines", () => {
  expect(files.length).toBeGreaterThan(200);
  const long = files.filter((file) => linesOf(file) > MOST_LINES);
  expect(long.map((file) => `${file} has ${linesOf(file)} lines`)).toEqual([]);
});

/** A value that stands in a title is a word. */
const wordsOf = (title: string) =>
  title
    .replaceAll(/\$\{[^}]*\}/g, "x")
    .trim()
    .split(/\s+/).length;

test("the title of a test has at most 14 words, in one line", () => {
  const titles = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(TITLE)].map(([, , title = ""]) => title),
  );
  expect(titles.length).toBeGreaterThan(1000);
  expect(titles.filter((title) => title.includes("\n") || wordsOf(title) > MOST_WORDS)).toEqual([]);
});
