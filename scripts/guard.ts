import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PlainError } from "@/lib/failures";
import { build, playwright, vitest } from "./test";
import { conclude, RESULTS } from "./test-results";

/** Titles as the source writes them, and headings. */
const LIST = "e2e/guard.txt";
const FOLDERS = ["app", "e2e", "lib", "prisma", "scripts", "server"];

/** `npm run guard`: runs the tests that LIST names by their titles, at whichever level they live. */
export async function main(): Promise<number> {
  const testsOf = findGuarded();
  const titles = [...testsOf.keys()];
  const files = [...new Set([...testsOf.values()].flat())];
  const pattern = titles.map(asPattern).join("|");
  rmSync(RESULTS, { recursive: true, force: true });
  const ofEnding = (ending: string) => files.filter((file) => file.endsWith(ending));
  const built = await build();
  const units = await vitest("Vitest", [...ofEnding(".test.ts"), "--testNamePattern", pattern]);
  // Vitest calls the other tests of a file skipped, without a reason.
  const ofTitles = { ...units, skipped: units.skipped.filter(Boolean) };
  return conclude([built, ofTitles, await playwright("Playwright", [...ofEnding(".spec.ts"), "--grep", pattern])]);
}

/**
 * The files that have a test of each title of LIST.
 * @throws PlainError when no test has one of these titles.
 */
export function findGuarded(): Map<string, string[]> {
  const titles = readFileSync(LIST, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const tests = FOLDERS.flatMap(filesIn).map((file) => ({ file, text: readFileSync(file, "utf8") }));
  const filesOf = (title: string) => tests.filter(({ text }) => isIn(text, title)).map(({ file }) => file);
  const testsOf = new Map(titles.map((title) => [title, filesOf(title)]));
  const gone = titles.filter((title) => testsOf.get(title)?.length === 0);
  if (gone.length > 0) throw new PlainError(`No test has these titles of ${LIST} any more:\n${gone.join("\n")}`);
  return testsOf;
}

function filesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => /\.(?:spec|test)\.ts$/.test(name)).map((name) => join(folder, name));
}

const isIn = (text: string, title: string) => ['"', "'", "`"].some((quote) => text.includes(quote + title + quote));

/** Matches what a title becomes: anything may stand where the source has an expression. */
const asPattern = (title: string) =>
  title
    .split(/\$\{[^}]*\}/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&"))
    .join(".*");
