import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { projectFiles } from "@/e2e/support/project-files";

const MOST_LINES = 300;
/** Still to be split. */
const LONGER = [
  "e2e/operations/agent-bad-days.spec.ts",
  "e2e/operations/agent-machines.test.ts",
  "e2e/operations/agent.spec.ts",
];

const files = projectFiles().filter((file) => /\.(?:spec|test)\.tsx?$/.test(file));
const linesOf = (file: string) => readFileSync(file, "utf8").split("\n").length - 1;

test("a file of tests has at most 300 lines", () => {
  expect(files.length).toBeGreaterThan(200);
  const long = files.filter((file) => !LONGER.includes(file) && linesOf(file) > MOST_LINES);
  expect(long.map((file) => `${file} has ${linesOf(file)} lines`)).toEqual([]);
});
