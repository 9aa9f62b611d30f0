import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PlainError } from "@/lib/failures";
import { requireBrowser, runEndToEnd } from "./end-to-end";
import { build, level, runUnitTests } from "./test";
import { type Counts, conclude, REPORTS } from "./test-reports";

/** Titles as the source writes them, and headings. */
const LIST = "e2e/guard.txt";
const FOLDERS = ["app", "e2e", "lib", "prisma", "scripts", "server"];

/**
 * `npm run guard`: runs the tests that LIST names by their titles, at whichever level they live.
 * @throws PlainError when no test has one of these titles.
 */
export async function main(): Promise<number> {
  const titles = readFileSync(LIST, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const tests = FOLDERS.flatMap(filesIn).map((file) => ({ file, text: readFileSync(file, "utf8") }));
  const named = new Map(titles.map((title) => [title, tests.filter(({ text }) => isIn(text, title))]));
  const gone = titles.filter((title) => named.get(title)?.length === 0);
  if (gone.length > 0) throw new PlainError(`No test has these titles of ${LIST} any more:\n${gone.join("\n")}`);

  const files = [...new Set([...named.values()].flat().map(({ file }) => file))];
  const pattern = titles.map(asPattern).join("|");
  const units = files.filter((file) => file.endsWith(".test.ts"));
  const specs = files.filter((file) => file.endsWith(".spec.ts"));
  rmSync(REPORTS, { recursive: true, force: true });
  await requireBrowser();
  const projects = ["unit", "own-process", "api", "site"];
  return conclude([
    ...(await build()),
    ...(await level("Vitest", async () =>
      (await runUnitTests(projects, { words: [...units, "--testNamePattern", pattern] })).map(withoutUnnamed),
    )),
    ...(await level("Playwright", () => runEndToEnd([...specs, "--grep", pattern]))),
  ]);
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

/** Vitest calls the other tests of a file skipped, without a reason. */
const withoutUnnamed = (counts: Counts): Counts => ({ ...counts, skipped: counts.skipped.filter(Boolean) });
